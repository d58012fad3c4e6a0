#pragma once

#include "store/search/vectors/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memd::sqlite {
class Database;
}

namespace memd::vectors {

// Thresholds, in live rows.
struct SnapshotTuning {
  std::int64_t sketched_above = 50'000;  // above: rows get sketches
  std::int64_t cold_above = 500'000;     // above: only the segment being filled keeps its codes in memory
};

// In-memory index of the vectors of one model, as signed bytes. A very large index holds mostly sketches, which select
// the rows to fetch from the store. refresh() loads the index and later updates it. Thread-safe; a scan sees one state.
class VectorIndex {
 public:
  explicit VectorIndex(std::string model, SnapshotTuning tuning = {});
  ~VectorIndex();

  // Loads the vectors in db's snapshot that the index lacks. Cheap when nothing changed. Throws ErrorException.
  void refresh(sqlite::Database& db);
  // Runs all requests on one state of the index. Does not wait for a refresh. Returns no neighbours for a query of
  // another dimension or without direction.
  std::vector<ScanResult> scan_all(sqlite::Database& db, std::vector<ScanRequest> requests) const;

  std::size_t memory() const;  // bytes

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace memd::vectors
