#include "schemas/outcome.hpp"

namespace memd {

std::string_view to_string(Outcome o) {
  switch (o) {
    case Outcome::unknown: return "unknown";
    case Outcome::success: return "success";
    case Outcome::fail: return "fail";
    case Outcome::abandoned: return "abandoned";
  }
  return "unknown";
}

std::string_view to_string(OutcomeSign sign) {
  switch (sign) {
    case OutcomeSign::answered: return "answered";
    case OutcomeSign::reports_done: return "reports_done";
    case OutcomeSign::question_answered: return "question_answered";
    case OutcomeSign::files_changed: return "files_changed";
    case OutcomeSign::tests_passed: return "tests_passed";
    case OutcomeSign::committed: return "committed";
    case OutcomeSign::pull_request_opened: return "pull_request_opened";
    case OutcomeSign::person_pleased: return "person_pleased";
    case OutcomeSign::report_taken: return "report_taken";
    case OutcomeSign::agent_asks: return "agent_asks";
    case OutcomeSign::untested: return "untested";
    case OutcomeSign::plan_waits: return "plan_waits";
    case OutcomeSign::change_offered: return "change_offered";
    case OutcomeSign::agent_unable: return "agent_unable";
    case OutcomeSign::agent_says_failing: return "agent_says_failing";
    case OutcomeSign::tests_failed: return "tests_failed";
    case OutcomeSign::commit_failed: return "commit_failed";
    case OutcomeSign::person_complains: return "person_complains";
    case OutcomeSign::request_failed: return "request_failed";
    case OutcomeSign::subagent_failed: return "subagent_failed";
    case OutcomeSign::interrupted: return "interrupted";
    case OutcomeSign::prompt_unanswered: return "prompt_unanswered";
    case OutcomeSign::broken_off: return "broken_off";
    case OutcomeSign::todos_open: return "todos_open";
    case OutcomeSign::build_failed: return "build_failed";
    case OutcomeSign::only_told: return "only_told";
    case OutcomeSign::change_refused: return "change_refused";
  }
  return "";
}

}  // namespace memd
