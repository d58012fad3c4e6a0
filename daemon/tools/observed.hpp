#pragma once

#include "daemon/tools/answer_text.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/ids.hpp"
#include "schemas/observation.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

// The output of tools about observations. Free functions without shared state; each may be called on any thread.
namespace memd::tools {

inline constexpr std::array<std::string_view, kAllObservationTypes.size()> kObservationChoices{
    "decision", "bugfix", "feature", "refactor", "discovery", "problem", "solution", "pattern", "warning", "success"};

// Returns the kind of observation that a call asks for; empty: any. `kind` is still accepted: it was the name until
// OpenHands was found to fail with any tool that has a parameter of that name.
template <class Params>
std::string asked_observation(const Params& params) {
  return params.observation.value_or(params.kind.value_or(""));
}

// A decision. exchange_id is absent if the answer names the exchange elsewhere.
struct DecisionOut {
  std::optional<std::string> exchange_id;
  std::optional<std::string> text;  // absent if the answer has it elsewhere
  std::optional<std::string> kind;
  std::optional<std::string> decided_by;
  std::optional<std::string> chosen;
  std::optional<std::string> rejected;
  std::optional<std::string> reason;
  std::optional<std::string> reversed_by;
  std::optional<std::string> judged_by;
};

// Returns the decision with the parts of its sentence, without exchange_id. `reversed_by`: 0 for none.
DecisionOut decision_out(const Observation& observation, ExchangeId reversed_by);
// Adds "x42  choice of the agent: Going with …; against: …; because: …; reversed in x43".
void add_decision(HistoryText& out, const DecisionOut& decision);
// Adds a line, "Latest decision (x42, choice of the agent): Going with …".
void add_latest_decision(HistoryText& out, const DecisionOut& decision);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::DecisionOut, field<&T::exchange_id>("For get_exchange."),
              field<&T::text>("As it was said; of an answer: question: answer."),
              field<&T::kind>("choice, rejection, reversal, answer or plan."), field<&T::decided_by>("user or agent."),
              plain<&T::chosen, &T::rejected, &T::reason>(),
              field<&T::reversed_by>("The later turn of the session that took it back."),
              field<&T::judged_by>("The language model that calls it a decision; absent: memd itself."));
