#pragma once

#include "daemon/tools/session_outline.hpp"
#include "daemon/tools/session_summary.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace memd::tools {

// What a call of session_summary comes to.
struct SummaryPlan {
  SessionOutline::Form form;                            // how it is quoted
  SummaryStrategy asked = SummaryStrategy::extractive;  // may need a language model
  std::int64_t first = 0;                               // exchange numbers
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool part = false;   // of the session only
  std::string notice;  // what could not be done as asked

  bool lists_chunks() const { return form.strategy == SummaryStrategy::hierarchical && form.level == 1 && !part; }
};

// Which exchanges are told of.
Result<SummaryPlan> plan_of(const SessionSummaryParams& params);
// There is none of them. `last_number`: of the session's last exchange.
Error no_such_part(const SummaryPlan& plan, const SessionRow& session, std::int64_t last_number);
// How. `model`: a language model can be asked.
void choose_strategy(SummaryPlan& plan, const SessionSummaryParams& params, const SessionOutline& outline,
                     std::size_t max_tokens, bool model);
// The call that opens more than the answer shows.
std::string call_for_more(const SummaryPlan& plan, const SessionOutline& outline);

}  // namespace memd::tools
