#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "store/read/recall.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memd {
class MemoryHost;
}  // namespace memd

// The recall of agents' hooks: what the history says about the file that an agent is about to edit, the command that it
// is about to run, or the error that it met.
namespace memd::admin {

struct RecallParams {
  std::string cwd;
  std::string session_id;  // native
  // Exactly one of the three is set.
  std::string path;     // file about to be edited
  std::string command;  // command about to be run
  std::string error;    // output of a failed command
};

struct RecallReport {
  std::vector<std::string> lines;  // empty: nothing worth showing
};
std::string render_text(const RecallReport& report);

// Maximum tokens of recalled history.
inline constexpr std::size_t kRecallTokens = 180;

// Renders what was recalled, best first, each line with the id that fetches the full text. Secrets are masked.
std::vector<std::string> recall_lines(const std::vector<Recalled>& found);

// Queries the store for the one parameter that is set. Of a command it says nothing: at 1,658 moments of real sessions
// no recall for a command was used, and no decision about a file (docs/benchmarks.md#recall-at-work).
Result<RecallReport> recall(MemoryHost& host, const RecallParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::RecallParams, field<&T::cwd>("Directory the agent works in."),
              field<&T::session_id>("The agent's own id of the session that asks."),
              field<&T::path>("A file that is about to be edited."),
              field<&T::command>("A command line that is about to be run."),
              field<&T::error>("What a command said that failed."));
MEMD_DESCRIBE(memd::admin::RecallReport, field<&T::lines>("What earlier work says; empty: nothing."));
