#pragma once

#include "schemas/language_model.hpp"
#include "test/support/sample_tools.hpp"

#include <utility>
#include <vector>

namespace memd::test {

inline Result<EchoResult> ask_all(const EchoParams& p, mcp::ToolContext& context) {
  if (context.client_model == nullptr) return EchoResult{"no model"};
  std::vector<CompletionRequest> requests;
  for (std::int64_t i = 0; i < p.times; ++i)
    requests.push_back({"Be brief.", p.text + std::to_string(i), 50});
  const auto answers = context.client_model->complete(requests, context.stop);
  if (!answers) return answers.error();
  EchoResult out;
  for (const Completion& c : *answers)
    out.text += c.text + "(" + c.model + (c.truncated ? ", cut)" : ")");
  return out;
}

inline Result<EchoResult> ask_in_turn(const EchoParams& p, mcp::ToolContext& context) {
  if (context.client_model == nullptr) return EchoResult{"no model"};
  std::string text = p.text;
  for (std::int64_t i = 0; i < p.times; ++i) {
    const CompletionRequest request{"", text, 50};
    auto answer = context.client_model->complete({&request, 1}, context.stop);
    if (!answer) return answer.error();
    text = answer->front().text;
  }
  return EchoResult{text};
}

inline Result<EchoResult> confirm_first(const EchoParams& p, mcp::ToolContext& context) {
  if (context.elicitation == nullptr) return EchoResult{"nobody"};
  const auto answer = context.elicitation->confirm("Do " + p.text + "?", context.stop);
  if (!answer) return answer.error();
  return EchoResult{*answer == mcp::Consent::accepted ? "done" : *answer == mcp::Consent::declined ? "no" : "closed"};
}

// confirm: asks the user of the client first. ask: sends `times` requests to the client's model in one call. chain:
// sends them one after the other, each with the previous answer as its text.
inline void add_asking_tools(mcp::ToolRegistry& registry) {
  registry.add<EchoParams, EchoResult>(sample_info("ask"), ask_all);
  registry.add<EchoParams, EchoResult>(sample_info("chain"), ask_in_turn);
  registry.add<EchoParams, EchoResult>(sample_info("confirm"), confirm_first);
}

}  // namespace memd::test
