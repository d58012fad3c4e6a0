#pragma once

#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"
#include "store/read/recall.hpp"

#include <cstddef>
#include <string>
#include <vector>

// What hooks of agents ask while an agent works: what is known of the file it is about to edit, the command it is about
// to run, or the error it met.
namespace memd::admin {

struct RecallParams {
  std::string cwd;
  std::string session_id;  // native
  // One of them.
  std::string path;     // of a file that is about to be edited
  std::string command;  // that is about to be run
  std::string error;    // what a command said that failed
};

struct RecallReport {
  std::vector<std::string> lines;  // empty: nothing that is worth the reader's time
};
std::string render_text(const RecallReport& report);

// At most so many tokens of history.
inline constexpr std::size_t kRecallTokens = 180;

// Lines for what was recalled, best first, each with the id that fetches the full text; none for kinds that nobody used
// when that was measured. Secrets are masked.
std::vector<std::string> recall_lines(const std::vector<Recalled>& found);

// Asks the store for the one thing that is given.
Result<std::vector<Recalled>> recall_from(Reader& reader, const RecallParams& params, TimeMs before);

Result<RecallReport> recall(MemoryHost& host, const RecallParams& params);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::RecallParams> {
  using T = admin::RecallParams;
  static constexpr auto fields =
      fields_of(field("cwd", &T::cwd, "Directory the agent works in."),
                field("session_id", &T::session_id, "The agent's own id of the session that asks."),
                field("path", &T::path, "A file that is about to be edited."),
                field("command", &T::command, "A command line that is about to be run."),
                field("error", &T::error, "What a command said that failed."));
};
template <>
struct Describe<admin::RecallReport> {
  using T = admin::RecallReport;
  static constexpr auto fields = fields_of(field("lines", &T::lines, "What earlier work tells; empty: nothing."));
};

}  // namespace memd::mcp
