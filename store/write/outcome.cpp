#include "store/write/outcome.hpp"

namespace memd::assembly {

Outcome judge_outcome(const SessionWork& s) {
  if (!s.has_draft || s.turns == 0) return Outcome::unknown;
  const ExchangeDraft& last = s.draft;
  if (last.interrupted) return Outcome::abandoned;
  if (last.api_failed) return Outcome::fail;
  const bool nothing_done = last.text.assistant_response.empty() && last.tool_calls == 0;
  if (nothing_done) return last.origin == Origin::typed ? Outcome::abandoned : Outcome::unknown;
  if (s.last_test_failed) return Outcome::fail;
  return last.answered ? Outcome::success : Outcome::unknown;
}

}  // namespace memd::assembly
