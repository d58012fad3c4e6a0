#pragma once

#include "schemas/observation.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::assembly {

// Rows of `observations`, and what the event rows say about a call that failed before. Writer thread only. Throws
// ErrorException.
class ObservationRows {
 public:
  explicit ObservationRows(sqlite::Database& db) : db_(db) {}

  void save(const Observation& observation);  // nothing if its session has the same words of the same type

  // Files edited between the last failure of a call and the call at `call_seq`, which has the same input, in the order
  // of their names; none when it had worked in between. Looks no further back than first_seq.
  std::vector<std::string> edits_since_failure(std::int64_t session_pk, std::int64_t first_seq, std::int64_t call_seq,
                                               std::uint64_t input_hash);

 private:
  sqlite::Database& db_;
};

}  // namespace memd::assembly
