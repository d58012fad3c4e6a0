#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/outcome.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A session, as a query returns it.
namespace memd {

// Identification of the session that a result belongs to.
struct SessionHead {
  std::int64_t session_pk = 0;
  std::string session_uid;
  std::string session_title;
  Platform platform{};
  std::string project;  // its name; empty: none
};

struct SessionRow {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  std::string native_id;
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string forked_from;
  std::string agent_name;
  std::string title;  // the stored one, else the first prompt's first line
  std::string project_key;
  std::string project_name;
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string agent_version;
  TimeMs started_at = 0;
  TimeMs ended_at = 0;  // time of the last event; for the time of the stop see life.ended_at()
  SessionLife life;
  Outcome outcome = Outcome::unknown;
  std::vector<OutcomeReason> outcome_reasons;  // those that support the outcome first, then by weight, highest first
  Cost cost;                                   // of its own responses
  TokenUsage subagent_tokens;                  // of its subagents and theirs
  TokenUsage account_tokens;                   // what its agent's account says beyond all these
  TokenUsage all_tokens() const {
    TokenUsage out = cost.tokens;
    out += subagent_tokens;
    return out += account_tokens;
  }
  std::int64_t exchanges = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
  std::int64_t subagents = 0;
  std::string repo;              // URL of its repository; empty: not recorded
  std::string description;       // given by its agent; empty: none
  std::string mode;              // likewise
  std::int64_t lines_added = 0;  // as counted by its agent, else of its edits
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;   // as calculated by its agent
  std::int64_t context_tokens = 0;  // tokens in the context, as last reported; 0: not reported
  std::string source_path;
  std::int64_t source_bytes = 0;  // of this session in it
  Watermarks watermarks;
};

struct SessionList {
  std::vector<SessionRow> sessions;  // newest first
  std::int64_t total = 0;
};

}  // namespace memd
