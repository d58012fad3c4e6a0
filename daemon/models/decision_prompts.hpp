#pragma once

#include "daemon/models/summary_prompts.hpp"
#include "protocol/models/decision_answer.hpp"
#include "schemas/observation.hpp"
#include "store/enrich/decision_judging.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

// What a language model is asked about the decisions of an exchange, word for word, and what is believed of its answer.
// Pure functions, any thread.
namespace memd::llm {

// `secret`: see enclosed(). `context_tokens`: what the model reads and writes in one request; of long texts the
// beginning is sent.
SummaryRequest decision_request(const ExchangeToJudge& exchange, std::uint64_t secret, std::size_t context_tokens);

struct CheckedDecisions {
  std::vector<Decision> decisions;
  std::size_t not_said = 0;  // quotations that nobody said in the exchange
};

// Drops sentences that do not stand in the exchange, and parts that do not stand in it. The speaker is whoever said it.
CheckedDecisions check_quotations(const decisions_api::Answer& answer, const ExchangeToJudge& exchange);

}  // namespace memd::llm
