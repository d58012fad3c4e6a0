#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "store/read/recall.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
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
  std::string error;       // output of a failed command; of the moment error
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

// Of edits and commands it says nothing: what it knew of them changed no next step (docs/benchmarks.md#recall-at-work).
Result<RecallReport> recall(MemoryHost& host, const RecallParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::RecallParams,
              field<&T::moment>("Of the session: it starts, was compacted, or a command failed.",
                                one_of("start", "compact", "error")),
              field<&T::cwd>("Directory the agent works in."),
              field<&T::session_id>("The agent's own id of the session that asks."),
              field<&T::error>("What a command said that failed."),
              field<&T::branch>("Checked out in cwd; empty: as it is now."),
              field<&T::at>("The time, in milliseconds since 1970; 0: now."));
MEMD_DESCRIBE(memd::admin::RecallReport, field<&T::lines>("What earlier work says; empty: nothing."));
