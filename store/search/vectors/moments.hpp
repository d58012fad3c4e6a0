#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace memd::vectors {

// Sums of cosines, for mean and deviation.
class Moments {
 public:
  void add(float cosine) {
    sum_ += cosine;
    squares_ += double{cosine} * cosine;
    ++count_;
  }

  std::int64_t count() const { return count_; }
  // Of at least one.
  double mean() const { return sum_ / static_cast<double>(count_); }
  double deviation() const {
    return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace memd::vectors
