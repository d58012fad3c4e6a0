#include "schemas/event.hpp"

#include "schemas/base/hash.hpp"

#include <array>

namespace memd {
namespace {

constexpr std::array<std::string_view, kEventKindCount> kKindNames{
    "user_msg", "assistant_msg", "thinking", "tool_call",          "tool_result", "error",
    "test_run", "edit",          "retry",    "human_intervention", "decision",    "lifecycle"};

}  // namespace

std::string_view to_string(EventKind k) { return kKindNames.at(static_cast<std::size_t>(k)); }

std::optional<EventKind> parse_event_kind(std::string_view text) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i)
    if (kKindNames[i] == text) return static_cast<EventKind>(i);
  return std::nullopt;
}

std::string_view to_string(Role r) {
  switch (r) {
    case Role::none: return "";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
    case Role::system: return "system";
    case Role::tool: return "tool";
  }
  return "";
}

std::string_view to_string(Origin o) {
  switch (o) {
    case Origin::none: return "none";
    case Origin::typed: return "typed";
    case Origin::command: return "command";
    case Origin::shell: return "shell";
    case Origin::plan: return "plan";
    case Origin::queued: return "queued";
    case Origin::embedded: return "embedded";
    case Origin::parent_agent: return "parent_agent";
    case Origin::injected: return "injected";
    case Origin::history: return "history";
  }
  return "none";
}

std::string_view to_string(FileAccess a) {
  switch (a) {
    case FileAccess::read: return "read";
    case FileAccess::modified: return "modified";
    case FileAccess::referenced: return "referenced";
  }
  return "referenced";
}

std::uint64_t record_key(Platform platform, std::string_view native_record_id) {
  return hash64(native_record_id, static_cast<std::uint64_t>(platform) + 1);
}

std::uint64_t event_key(std::uint64_t record, std::uint32_t index) {
  return index == 0 ? record : hash_combine(record, index);
}

std::string_view to_string(SessionState s) {
  switch (s) {
    case SessionState::started: return "started";
    case SessionState::active: return "active";
    case SessionState::stopped: return "stopped";
    case SessionState::capture_disabled: return "capture_disabled";
  }
  return "unknown";
}

std::optional<SessionState> parse_session_state(std::string_view text) {
  using enum SessionState;
  for (const SessionState s : {started, active, stopped, capture_disabled})
    if (to_string(s) == text) return s;
  return std::nullopt;
}

SessionState SessionLife::state(TimeMs now, TimeMs stopped_after) const {
  if (ended_at(now, stopped_after) != 0) return SessionState::stopped;
  if (capture_disabled_at != 0) return SessionState::capture_disabled;
  return has_events ? SessionState::active : SessionState::started;
}

TimeMs SessionLife::ended_at(TimeMs now, TimeMs stopped_after) const {
  if (stopped_at != 0) return stopped_at;
  return silent_since != 0 && silent_since <= now - stopped_after ? silent_since : 0;
}

std::string_view to_string(SessionKind k) {
  switch (k) {
    case SessionKind::main: return "main";
    case SessionKind::subagent: return "subagent";
    case SessionKind::workflow: return "workflow";
  }
  return "main";
}

}  // namespace memd
