#pragma once

#include "store/search/vectors/kernels.hpp"
#include "store/search/vectors/scan.hpp"
#include "store/search/vectors/vector_snapshot.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memd::vectors {

struct ScanTuning {
  // Number of rows in segments that overlap first…last above which sketches preselect the rows to score.
  std::int64_t exact_rows = 80'000;
  std::size_t min_kept = 1000;       // least number of preselected rows
  std::size_t kept_per_result = 6;   // least number of preselected rows per requested exchange
  std::int64_t rows_per_kept = 800;  // at least one row in this many is preselected
  std::int64_t sampled_rows = 4096;  // sample size for mean and deviation when rows are preselected
  const Kernels* kernels = &vectors::kernels();
};

ScanResult scan(const Snapshot& snapshot, const ScanRequest& request, const ScanTuning& tuning = {});
// Runs several requests segment by segment, so that each segment is in the cache for all of them.
std::vector<ScanResult> scan_all(const Snapshot& snapshot, std::span<const ScanRequest> requests,
                                 const ScanTuning& tuning = {});

}  // namespace memd::vectors
