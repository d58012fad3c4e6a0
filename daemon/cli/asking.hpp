#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/screen.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/harmless.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Questions of the command line with typed answers. One thread.
namespace memd::cli {

// The error of an outcome as a person at a command line is told it; bad arguments are Errc::invalid_argument.
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

// What one page asks for.
struct PageWanted {
  std::optional<std::int64_t> rows;  // none: as many as a page has
  std::string cursor;                // empty: the first
};

// How many rows a person wants: `asked`, 0 for all, else `usual`. No number: all.
struct RowsWanted {
  std::optional<std::int64_t> asked;
  std::int64_t usual = 0;
  std::int64_t a_page = 0;  // the most that the tool gives at once; 0: its pages are not counted in rows
};

// Asks page after page until there are as many rows as wanted, or no more. `count` says how many a page has. `on_page`
// returns false to end it. Gives the last page, whose `next` is there if more could be asked for.
template <mcp::Described Answer>
Result<Answer> ask_pages(Caller& caller, std::string_view tool,
                         const std::function<std::string(const PageWanted&)>& arguments, const RowsWanted& wanted,
                         const std::function<std::int64_t(const Answer&)>& count,
                         const std::function<bool(Answer&)>& on_page) {
  const std::int64_t all = wanted.asked.value_or(wanted.usual);
  std::int64_t left = all;
  PageWanted page;
  while (true) {
    if (wanted.a_page > 0) page.rows = all == 0 ? wanted.a_page : std::min(left, wanted.a_page);
    MEMD_TRY_ASSIGN(Answer answer, ask_history<Answer>(caller, tool, arguments(page)));
    const std::int64_t rows = count(answer);
    left -= rows;
    const bool goes_on = on_page(answer);
    if (!goes_on || !answer.next || (all != 0 && left <= 0)) return answer;
    page.cursor = *answer.next;
  }
}

// The JSON Schema of what `memd --json <command>` prints.
std::string titled_schema(std::string_view command, std::string_view schema);
template <mcp::Described Answer>
std::function<std::string()> schema_of(const std::string& command) {
  return [command] { return titled_schema(command, mcp::json_schema<Answer>(mcp::SchemaUse::output)); };
}

// Prints an answer for a program: its JSON, harmless, on a line.
template <mcp::Described Answer>
Result<int> print_json(const Invocation& call, const Answer& answer) {
  Screen screen(call.plain_look());
  screen.as_it_is(harmless_json(mcp::to_json(answer)) + "\n");
  MEMD_TRY(screen.finish());
  return kOk;
}

// Ends what was shown. Gives the exit code.
Result<int> finish(Screen& screen);

}  // namespace memd::cli
