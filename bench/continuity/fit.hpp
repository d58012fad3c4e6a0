#pragma once

#include "bench/continuity/fit_cases.hpp"

#include <string>
#include <vector>

namespace memd::bench {

struct FitOptions {
  bool leave_one_out = false;  // also fit on all sessions but one, for each
};

// Fits the weights on the half that is not held out and tells of it: what was tried, what was found, and how packs do
// by neutral weights, by those found and by the compiled ones.
std::string fit_report(const std::vector<FitCase>& cases, const FitOptions& options);

}  // namespace memd::bench
