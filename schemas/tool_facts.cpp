#include "schemas/tool_facts.hpp"

namespace memd {

std::string_view to_string(CommandPurpose p) {
  switch (p) {
    case CommandPurpose::other: return "other";
    case CommandPurpose::test: return "test";
    case CommandPurpose::build: return "build";
  }
  return "other";
}

std::string_view to_string(RunOutcome o) {
  switch (o) {
    case RunOutcome::unknown: return "unknown";
    case RunOutcome::passed: return "passed";
    case RunOutcome::failed: return "failed";
  }
  return "unknown";
}

std::string_view to_string(TodoState s) {
  switch (s) {
    case TodoState::unstated: return "unstated";
    case TodoState::pending: return "pending";
    case TodoState::in_progress: return "in_progress";
    case TodoState::done: return "done";
    case TodoState::dropped: return "dropped";
  }
  return "unstated";
}

}  // namespace memd
