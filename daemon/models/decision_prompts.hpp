#pragma once

#include "daemon/models/summary_prompts.hpp"
#include "protocol/models/decision_answer.hpp"
#include "schemas/observation.hpp"
#include "store/enrich/decision_judging.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

// The exact requests that ask a language model for the decisions of an exchange, and the checks of its answers. Pure
// functions, any thread.
namespace memd::llm {

// Builds the request for an exchange. `secret`: see enclosed(). `context_tokens`: what the model can read and write in
// one request; long texts are cut to their beginning.
SummaryRequest decision_request(const ExchangeToJudge& exchange, std::uint64_t secret, std::size_t context_tokens);

struct CheckedDecisions {
  std::vector<Decision> decisions;
  std::size_t not_said = 0;  // quotations that are not in the exchange
};

// Drops quoted sentences that are not in the exchange, and parts that are not in it. The speaker is the author of the
// sentence.
CheckedDecisions check_quotations(const decisions_api::Answer& answer, const ExchangeToJudge& exchange);

}  // namespace memd::llm
