#include "schemas/session.hpp"

namespace memd {

std::string_view to_string(SessionState s) {
  switch (s) {
    case SessionState::started: return "started";
    case SessionState::active: return "active";
    case SessionState::stopped: return "stopped";
    case SessionState::capture_disabled: return "capture_disabled";
  }
  return "unknown";
}

bool is_legal_transition(SessionState from, SessionState to) {
  switch (from) {
    case SessionState::started: return to == SessionState::active;
    case SessionState::active: return to == SessionState::stopped || to == SessionState::capture_disabled;
    case SessionState::capture_disabled: return to == SessionState::stopped;
    case SessionState::stopped: return to == SessionState::active;
  }
  return false;
}

std::string_view to_string(Outcome o) {
  switch (o) {
    case Outcome::unknown: return "unknown";
    case Outcome::success: return "success";
    case Outcome::fail: return "fail";
    case Outcome::abandoned: return "abandoned";
  }
  return "unknown";
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
