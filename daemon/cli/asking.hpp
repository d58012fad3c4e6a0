#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/screen.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/harmless.hpp"

#include <functional>
#include <string>
#include <string_view>

// Typed queries of the command line. One thread.
namespace memd::cli {

// Converts a failed outcome to an error, in its words for models; for_people() rewrites them where it is shown. Bad
// arguments become Errc::invalid_argument.
Error error_of(const mcp::ToolOutcome& outcome);

template <mcp::Described Answer>
Result<Answer> read_answer(const Result<mcp::ToolOutcome>& outcome) {
  if (!outcome) return outcome.error();
  if (outcome->is_error) return error_of(*outcome);
  return mcp::from_json<Answer>(outcome->structured);
}

// `arguments`: JSON text of an object.
template <mcp::Described Answer>
Result<Answer> ask_history(Caller& caller, std::string_view tool, const std::string& arguments) {
  return read_answer<Answer>(caller.answer(tool, arguments));
}

template <mcp::Described Answer>
Result<Answer> ask_admin(Caller& caller, std::string_view question, const std::string& arguments) {
  return read_answer<Answer>(caller.admin(question, arguments, {}));
}

// Returns the JSON Schema of the output of `memd --json <command>`.
std::string titled_schema(std::string_view command, std::string_view schema);
template <mcp::Described Answer>
std::function<std::string()> schema_of(const std::string& command) {
  return [command] { return titled_schema(command, mcp::json_schema<Answer>(mcp::SchemaUse::output)); };
}

// Prints an answer for a program: its JSON on one line, escaped to be harmless to a terminal.
template <mcp::Described Answer>
Result<int> print_json(const Invocation& call, const Answer& answer) {
  Screen screen(call.plain_look());
  screen.as_it_is(harmless_json(mcp::to_json(answer, mcp::Texts::as_they_are)) + "\n");
  MEMD_TRY(screen.finish());
  return kOk;
}

// Finishes the screen and returns the exit code.
Result<int> finish(Screen& screen);

// Shows a report to a user with its show(), or prints it as JSON for a program.
template <class Report>
Result<int> print_report(const Invocation& call, const Report& report) {
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  show(screen, report);
  return finish(screen);
}

}  // namespace memd::cli
