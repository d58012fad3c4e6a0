#pragma once

#include "store/harvest/material.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// How much what was told in an exchange is worth a memory. Pure; every thread may call these.
namespace memd::harvest {

// What solved a problem of the same exchange; none: nothing is known, or the sentence is no problem.
std::optional<std::size_t> fix_of(const Material& material, std::size_t problem);
// What was wrong where this is a fix.
std::optional<std::size_t> problem_of(const Material& material, std::size_t fix);

struct Worth {
  double score = 0;                  // from about kWorthTelling on it is worth proposing
  std::vector<std::string> reasons;  // "a person decided", "tests passed"; the heaviest need not be first
};
inline constexpr double kWorthTelling = 1.5;

Worth worth_of(const Material& material, std::size_t observation);

// The observation of an exchange that is worth most; none if nothing in it was decided, found or fixed.
std::optional<std::size_t> best_observation(const Material& material);

}  // namespace memd::harvest
