#pragma once

#include "schemas/error.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

class Withheld;
class Writer;

// Makes memd forget sessions for good: rows, full text, vectors, records, answers of language models, and what is left
// of them in free space. First it is written down that they are forgotten (store/db/withheld.hpp), so that no scan,
// rebuild or import brings them back and whoever opens the store next can go on where a process was killed.
// Uses the writer's connection on the writer's thread, commits what waits there first, and owns nothing.
class Forgetting {
 public:
  // Whether a record is of a forgotten session, or points at one of its records, that stands in a source of another or
  // of several. 64 readable bytes follow it.
  using IsForgotten = std::function<bool(const raw::FrameHeader&, std::string_view record, const Withheld& withheld)>;
  Forgetting(Writer& writer, IsForgotten is_forgotten) : writer_(writer), is_forgotten_(std::move(is_forgotten)) {}

  struct Report {
    std::uint64_t sessions = 0;
    std::uint64_t raw_bytes = 0;  // freed
  };
  // The uids as retention and plans give them: with subagents. Errc::store_busy when a reader kept the file from being
  // cleared of traces: then nothing is found any more, and finish() clears it.
  Result<Report> forget(const std::vector<std::string>& session_uids);

  // Removes what the store holds of forgotten sessions. Can be repeated.
  Result<Report> finish();

 private:
  std::vector<std::string> stored_sessions();
  void remove_rows(const std::string& uid);
  void remove_sources();
  void remove_what_nothing_names();
  void clear_index();

  Writer& writer_;
  const IsForgotten is_forgotten_;
};

}  // namespace memd
