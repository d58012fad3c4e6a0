#pragma once

#include "schemas/base/result.hpp"
#include "schemas/observation.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Parser for a language model's answer about recorded decisions. Pure, any thread.
namespace memd::decisions_api {

// A decision as the model wrote it. Not checked against the text that the model was given.
struct QuotedDecision : DecisionWords {
  std::string answers;  // the question or offer that the sentence answers
};

struct Answer {
  std::vector<QuotedDecision> decisions;
  std::size_t unusable = 0;  // items without a sentence or a speaker, and those beyond the limit of 32
};

// Reads {"decisions": [{"sentence": …, "by": "person" or "agent", …}]}, with other text around it, too. Errc::protocol:
// there is no such object.
Result<Answer> parse_answer(std::string_view text);

}  // namespace memd::decisions_api
