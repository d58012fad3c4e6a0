#include "schemas/session.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

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
