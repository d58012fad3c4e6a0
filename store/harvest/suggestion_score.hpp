#pragma once

#include "store/harvest/material.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// Rates whether the content of an exchange is worth a memory. Pure; thread-safe.
namespace memd::harvest {

// Returns the fix of a problem in the same exchange; nullopt if none is known or the sentence is no problem.
std::optional<std::size_t> fix_of(const Material& material, std::size_t problem);
// Returns the problem that this fix solved.
std::optional<std::size_t> problem_of(const Material& material, std::size_t fix);

struct SuggestionScore {
  double score = 0;                  // from about kSuggestFrom it is worth suggesting
  std::vector<std::string> reasons;  // "a person decided", "tests passed"; in no particular order
};
inline constexpr double kSuggestFrom = 1.5;

SuggestionScore score_suggestion(const Material& material, std::size_t observation);

// Returns the most valuable observation of an exchange; nullopt if it has no decision, finding or fix.
std::optional<std::size_t> best_observation(const Material& material);

}  // namespace memd::harvest
