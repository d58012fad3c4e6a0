#pragma once

#include "store/search/vectors/scan.hpp"

#include <algorithm>
#include <cmath>

namespace memd::vectors {

// Mean and standard deviation of a scan's cosines, used to standardise one of them. Excludes the nearest, which would
// distort the figures of a small store. Mixes in a usual deviation, so that the deviation is never 0. A value.
class CosineScale {
 public:
  CosineScale() = default;
  explicit CosineScale(const ScanResult& scan) {
    constexpr double kUsual = 0.12;  // deviation
    constexpr double kWorth = 20;    // weight of kUsual, in texts
    if (scan.nearest.empty()) return;
    const double n = static_cast<double>(scan.scanned) - 1;
    const double nearest = scan.nearest.front().cosine;
    double squares = 0;
    if (n > 0) {
      mean_ = ((n + 1) * scan.mean - nearest) / n;
      squares =
          (n + 1) * (scan.deviation * scan.deviation + scan.mean * scan.mean) - nearest * nearest - n * mean_ * mean_;
    }
    deviation_ = std::sqrt((std::max(0.0, squares) + kWorth * kUsual * kUsual) / (n + kWorth));
  }
  // Returns the distance from the mean in standard deviations; 0 for NaN (no vector).
  double z(float cosine) const { return std::isnan(cosine) ? 0 : (cosine - mean_) / deviation_; }

 private:
  double mean_ = 0;
  double deviation_ = 1;
};

}  // namespace memd::vectors
