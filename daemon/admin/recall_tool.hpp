#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "store/read/recall.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {
class MemoryHost;
}  // namespace memd

// The recall of agents' hooks: what the history says at a moment of an agent's session.
namespace memd::admin {

struct RecallParams {
  std::string moment = "error";
  std::string cwd;
  std::string session_id;  // native
  std::string text;        // the person's prompt, or the output of a failed command
  // For a replay of the past; by default what holds now.
  std::string branch;
  std::int64_t at = 0;  // ms since 1970
};

struct RecallReport {
  std::vector<std::string> lines;  // empty: nothing worth showing
};
std::string render_text(const RecallReport& report);

// Maximum tokens of what is recalled of an error.
inline constexpr std::size_t kRecallTokens = 180;

// Renders what was recalled, best first, each line with the id that fetches the full text. Secrets are masked.
std::vector<std::string> recall_lines(const std::vector<Recalled>& found);

// What each session was told since its last compaction. Thread-safe; lasts as long as the process.
class ToldLines {
 public:
  // Removes the lines that the session was told before, and remembers the others.
  void keep_new(const std::string& session_id, std::vector<std::string>& lines);
  void forget(const std::string& session_id);  // its context was compacted

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::set<std::string>> told_;
};

// Of edits and commands it says nothing: what it knew of them changed no next step (docs/benchmarks.md#recall-at-work).
Result<RecallReport> recall(MemoryHost& host, ToldLines& told, const RecallParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(
    memd::admin::RecallParams,
    field<&T::moment>("It starts, it starts and is told standing lines alone, a subagent of it starts, it was "
                      "compacted, a person asks, a command failed.",
                      one_of("start", "standing", "subagent", "compact", "prompt", "error")),
    field<&T::cwd>("Directory the agent works in."),
    field<&T::session_id>("The agent's own id of the session that asks."),
    field<&T::text>("What the person asks, or what a command said that failed."),
    field<&T::branch>("Checked out in cwd; empty: as it is now."),
    field<&T::at>("The time, in milliseconds since 1970; 0: now."));
MEMD_DESCRIBE(memd::admin::RecallReport, field<&T::lines>("What earlier work says; empty: nothing."));
