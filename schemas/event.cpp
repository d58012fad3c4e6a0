#include "schemas/event.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

namespace memd {

static_assert(reflect::kEnumNames<EventKind>.size() == kEventKindCount);

std::string_view to_string(EventKind k) { return reflect::kEnumNames<EventKind>.at(static_cast<std::size_t>(k)); }
std::optional<EventKind> parse_event_kind(std::string_view text) { return reflect::enum_of<EventKind>(text); }

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

std::string_view to_string(Origin o) { return reflect::enum_name(o, "none"); }

std::string_view to_string(FileAccess a) { return reflect::enum_name(a, "referenced"); }

std::uint64_t record_key(Platform platform, std::string_view native_record_id) {
  return hash64(native_record_id, static_cast<std::uint64_t>(platform) + 1);
}

std::uint64_t event_key(std::uint64_t record, std::uint32_t index) {
  return index == 0 ? record : hash_combine(record, index);
}

std::string_view to_string(SessionState s) { return reflect::enum_name(s, "unknown"); }

std::optional<SessionState> parse_session_state(std::string_view text) { return reflect::enum_of<SessionState>(text); }

SessionState SessionLife::state(TimeMs now, TimeMs stopped_after) const {
  if (ended_at(now, stopped_after) != 0) return SessionState::stopped;
  if (capture_disabled_at != 0) return SessionState::capture_disabled;
  return has_events ? SessionState::active : SessionState::started;
}

TimeMs SessionLife::ended_at(TimeMs now, TimeMs stopped_after) const {
  if (stopped_at != 0) return stopped_at;
  return silent_since != 0 && silent_since <= now - stopped_after ? silent_since : 0;
}

std::string_view to_string(SessionKind k) { return reflect::enum_name(k, "main"); }

}  // namespace memd
