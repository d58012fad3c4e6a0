#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace memd::bench {

// Returns the value below which `share` (0…1) of the samples lie. Sorts its copy.
inline double percentile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size())));
  return samples[std::clamp<std::size_t>(rank, 1, samples.size()) - 1];
}

inline double median(std::vector<double> samples) { return percentile(std::move(samples), 0.5); }

}  // namespace memd::bench
