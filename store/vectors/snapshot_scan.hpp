#pragma once

#include "store/vectors/vector_index.hpp"
#include "store/vectors/vector_snapshot.hpp"

#include <cstddef>

namespace memd::vectors {

struct ScanLimits {
  // Above so many rows within first…last, the signs of the components decide first which rows are scored.
  std::int64_t exact_rows = 300'000;
  std::size_t min_kept = 1000;  // rows that are scored then, at least
  std::size_t kept_per_result = 4;
  std::int64_t sampled_rows = 8192;  // from which mean and deviation are estimated then
};

ScanResult scan(const Snapshot& snapshot, const ScanRequest& request, const ScanLimits& limits = {});

}  // namespace memd::vectors
