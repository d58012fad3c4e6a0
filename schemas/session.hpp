#pragma once

#include "schemas/event.hpp"
#include "schemas/platform.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

enum class SessionState : std::uint8_t { started = 0, active = 1, stopped = 2, capture_disabled = 3 };
std::string_view to_string(SessionState s);
// started → active → stopped, or active → capture_disabled → stopped. A stopped session that grows becomes active
// again (a resumed transcript): stopped → active.
bool is_legal_transition(SessionState from, SessionState to);

inline constexpr TimeMs kIdleStops = 6LL * 60 * 60 * 1000;  // a session silent for so long counts as stopped

enum class Outcome : std::uint8_t { unknown = 0, success = 1, fail = 2, abandoned = 3 };
std::string_view to_string(Outcome o);

// A main session is what a person talked in. Subagents and workflow agents hang under their parent.
enum class SessionKind : std::uint8_t { main = 0, subagent = 1, workflow = 2 };
std::string_view to_string(SessionKind k);

// Token and effort accounting.
struct Cost {
  TokenUsage tokens;
  std::int64_t turns = 0;  // human turns
  std::int64_t retries = 0;
};

// Titles from several places: the higher rank wins, the later one among equals.
enum class TitleRank : std::uint8_t { none = 0, summary = 1, ai = 2, custom = 3 };

// What an adapter learned about a session. Empty fields leave the stored value alone.
struct SessionUpdate {
  std::string session_uid;
  Platform platform{};
  std::string native_id;
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string parent_call_id;  // tool call in the parent that started this one
  std::string agent_name;      // subagent type
  std::string project_hint;    // the platform's project id, else empty: derived from cwd
  std::string title;
  TitleRank title_rank = TitleRank::none;
  // A title given by pointing at a record (leaf uuid) of a session that may stand in another file:
  // record_key() of that record; 0 = the title is for session_uid itself.
  std::uint64_t title_record_key = 0;
  std::string description;
  TimeMs time = 0;

  // For sessions whose platform says this of the session as a whole and not in each record.
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string agent_version;
  std::string forked_from;  // session uid
  std::string mode;         // as the platform names it: "agent", "plan", "chat", …
  TimeMs started_at = 0;
  TimeMs ended_at = 0;
  std::int64_t context_tokens = 0;  // how full the context was when last heard of
  std::int64_t lines_added = 0;     // of the whole session, where the platform counts them
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;  // as the platform reckons it
};

}  // namespace memd
