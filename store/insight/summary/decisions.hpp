#pragma once

#include "schemas/observation.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

// What a person decided when the agent asked: answers to a question with options, and accepted plans. What is only said
// in sentences is a decision in half the cases (docs/benchmarks.md#decisions) and is none here. Pure; thread-safe.
namespace memd {

inline constexpr std::size_t kDecisionBytes = 300;    // of one sentence; a longer one is cut at a word and marked
inline constexpr std::size_t kChoicesPerDialog = 16;  // the first ones are kept

// Returns the choices in a dialog of the client; `text` is that of an adapter's `decision` event. Skips an answer that
// is a question.
std::vector<Decision> read_choices(std::string_view text);

// Returns a decision with the title of a plan that was accepted; without a sentence if the plan has no text.
Decision accepted_plan(std::string_view plan);

// Returns the plan that a message accepts: it contains the plan, or it refers to the one that the agent's preceding
// text `offered` proposes.
std::optional<Decision> plan_accepted_by(std::string_view message, std::string_view offered);

// Returns whether `later` reverses `earlier` of the same session: it rejects the earlier choice, or it is a reversal on
// the same subject.
bool reverses(const Decision& later, const Decision& earlier);

}  // namespace memd
