#pragma once

#include "store/search/vectors/kernels.hpp"
#include "store/search/vectors/vector_index.hpp"
#include "store/search/vectors/vector_snapshot.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memd::vectors {

struct ScanTuning {
  // Above so many rows within first…last, sketches decide first which rows are scored.
  std::int64_t exact_rows = 80'000;
  std::size_t min_kept = 1000;  // rows that are scored then, at least
  std::size_t kept_per_result = 6;
  std::int64_t rows_per_kept = 800;  // at least one row in so many
  std::int64_t sampled_rows = 4096;  // from which mean and deviation are estimated then
  const Kernels* kernels = &vectors::kernels();
};

ScanResult scan(const Snapshot& snapshot, const ScanRequest& request, const ScanTuning& tuning = {});
// Several at once: each stretch of rows is looked at for all of them while it is at hand.
std::vector<ScanResult> scan_all(const Snapshot& snapshot, std::span<const ScanRequest> requests,
                                 const ScanTuning& tuning = {});

}  // namespace memd::vectors
