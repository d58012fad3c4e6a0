#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/outcome.hpp"
#include "schemas/platform.hpp"
#include "schemas/session.hpp"
#include "schemas/usage.hpp"

#include <cstdint>
#include <string>
#include <vector>

// A session, as a query returns it.
namespace memd {

struct SessionCounts {
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
};

// The title is the stored one, else the first prompt's first line; lines are as counted by its agent, else of its
// edits. ended_at is the time of the last event; for the time of the stop see life.ended_at().
struct SessionRow : SessionAttributes, SessionCounts, SessionConclusions {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  std::string native_id;
  std::string project_key;
  std::string project_name;
  SessionLife life;
  std::vector<OutcomeReason> outcome_reasons;  // those that support the outcome first, then by weight, highest first
  TokenUsage subagent_tokens;                  // of its subagents and theirs
  TokenUsage account_tokens;                   // what its agent's account says beyond all these
  // When it ended. 0: it goes on, or no time of it is known.
  TimeMs end_time(TimeMs now, TimeMs stopped_after) const {
    return ended_at == 0 && life.stopped_at == 0 ? 0 : life.ended_at(now, stopped_after);
  }
  TokenUsage all_tokens() const {
    TokenUsage out = cost.tokens;
    out += subagent_tokens;
    return out += account_tokens;
  }
  std::int64_t exchanges = 0;
  std::int64_t subagents = 0;
};

// A main session that goes with its subagents: it is forgotten, or its texts are evicted.
struct SessionRemoval {
  std::string session_id;
  std::string title;
  std::string reason;
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;  // in the raw layer
};

struct PlannedRemoval : SessionRemoval {
  std::vector<std::string> members;  // uids, its own among them
  TimeMs ended_at = 0;
};

struct SessionList {
  std::vector<SessionRow> sessions;  // newest first
  std::int64_t total = 0;
};

}  // namespace memd
