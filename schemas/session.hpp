#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/outcome.hpp"
#include "schemas/platform.hpp"
#include "schemas/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

enum class SessionState : std::uint8_t { started = 0, active = 1, stopped = 2, capture_disabled = 3 };
std::string_view to_string(SessionState s);
std::optional<SessionState> parse_session_state(std::string_view text);

// The data that determines the state of a session. Transitions: started → active → stopped, or active →
// capture_disabled → stopped. A stopped session that continues is active again.
struct SessionLife {
  bool has_events = false;
  // Time of the last event; if that is unknown or in the future, of the last write. 0: a placeholder without either.
  TimeMs silent_since = 0;
  TimeMs stopped_at = 0;           // when the agent reported the stop; 0: never, or the session continued
  TimeMs capture_disabled_at = 0;  // nothing was captured since; 0: capture works

  // A session that was silent for `stopped_after` has stopped.
  SessionState state(TimeMs now, TimeMs stopped_after) const;
  // 0 unless the session has stopped.
  TimeMs ended_at(TimeMs now, TimeMs stopped_after) const;
};
// A session without events for this long counts as stopped. One in three sessions silent for half an hour continues
// later, one in six of those silent for an hour.
inline constexpr TimeMs kStoppedAfter = 30LL * 60 * 1000;

// A main session is a conversation with a person. Sessions of subagents and workflow agents belong to a parent.
enum class SessionKind : std::uint8_t { main = 0, subagent = 1, workflow = 2 };
std::string_view to_string(SessionKind k);

// Token and effort accounting.
struct Cost {
  TokenUsage tokens;
  std::int64_t turns = 0;  // human turns
  std::int64_t retries = 0;
  TimeMs wall_clock = 0;  // ms worked on it: idle time is left out, overlaps count once
  bool operator==(const Cost&) const = default;
};

struct ErrorSnippet {
  TimeMs time = 0;
  std::string tool;  // empty: not an error of a tool
  std::string text;  // one line
  bool operator==(const ErrorSnippet&) const = default;
};

// Digest of a session that is kept after its events are evicted. Texts are short and masked.
struct KeptDigest {
  std::string request;               // the first request, as one line
  std::string result;                // the result, as one line
  std::string abstract;              // the most informative sentences
  std::vector<ErrorSnippet> errors;  // the last kMostErrorSnippets, in order, each text once
  TimeMs wall_clock = 0;             // see Cost
  std::string source_path;           // its transcript
  std::int64_t source_bytes = 0;     // bytes of this session in it
  bool operator==(const KeptDigest&) const = default;
};
inline constexpr std::size_t kMostErrorSnippets = 8;

// Times at which a session reached its stages; 0: not yet.
struct Watermarks {
  TimeMs discovered_at = 0;
  TimeMs ingested_at = 0;
  TimeMs analyzed_at = 0;  // 0 again when the session continues
  TimeMs evicted_at = 0;
  bool operator==(const Watermarks&) const = default;
};

// memd's own conclusions about a session.
struct SessionConclusions {
  Outcome outcome = Outcome::unknown;
  Cost cost;  // of its own responses
  std::string source_path;
  std::int64_t source_bytes = 0;  // of this session in it
  Watermarks watermarks;
  bool operator==(const SessionConclusions&) const = default;
};

// With the facts in SessionUpdate these form version 2 of the session schema (schemas/json/events.v1.schema.json). The
// context has the latest values from its events; values from elsewhere are in the SessionUpdate.
struct SessionRecord : SessionConclusions, WorkContext {
  SessionState state = SessionState::started;
  TimeMs stopped_at = 0;  // 0 unless it has stopped
  std::optional<KeptDigest> digest;
  std::vector<RecordedResponse> responses;  // of a session without events
  bool operator==(const SessionRecord&) const = default;
};
inline constexpr std::int64_t kSessionSchemaVersion = 2;

// Rank of a title by its origin. The higher rank wins, and the later title among equals.
enum class TitleRank : std::uint8_t { none = 0, summary = 1, ai = 2, custom = 3 };

// What a session is, as far as its agent says it.
struct SessionAttributes : WorkContext {
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string parent_call_id;  // tool call in the parent that started this one
  std::string forked_from;     // session uid
  std::string agent_name;      // subagent type
  std::string title;
  TitleRank title_rank = TitleRank::none;
  std::string description;
  std::string mode;  // as the platform names it: "agent", "plan", "chat", …
  std::string repo;  // URL of the repository, as the records give it
  TimeMs started_at = 0;
  TimeMs ended_at = 0;              // last sign of activity
  std::int64_t context_tokens = 0;  // tokens in the context, as last reported; 0: not reported
  std::int64_t lines_added = 0;     // of the whole session, where the platform counts them
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;  // as calculated by the platform
};

// Facts about a session that an adapter found. Empty fields leave the stored value unchanged. Context and times are set
// by platforms that record these once per session instead of in each record.
struct SessionUpdate : SessionAttributes {
  std::string session_uid;
  Platform platform{};
  std::string native_id;
  std::string project_hint;  // the platform's project id; empty: the project is derived from cwd
  // The title belongs to the session that contains this record (leaf uuid), possibly in another file. record_key() of
  // the record; 0: the title is for session_uid itself.
  std::uint64_t title_record_key = 0;
  TimeMs time = 0;
  TimeMs stopped_at = 0;              // when the platform reports its end
  std::vector<ModelAccount> account;  // the agent's own, of the whole session
  std::vector<RateLimit> limits;      // of the person's account, not of the session

  // Imported from another memd. Used only if the session's events are missing; otherwise it is derived from them.
  std::optional<SessionRecord> record;
};

}  // namespace memd
