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

// Deletes sessions for good: rows, full text, vectors, raw records, cached answers of language models, and their traces
// in free pages. First records that they are forgotten (store/db/withheld.hpp). No scan, rebuild or import then brings
// them back, and the next opener of the store can finish if the process was killed.
// Uses the writer's connection on the writer's thread, commits its open transaction first, and owns nothing.
class Forgetting {
 public:
  // Returns whether a record of another or a shared source belongs to a forgotten session or refers to one of its
  // records. At least 64 readable bytes follow the record.
  using IsForgotten = std::function<bool(const raw::FrameHeader&, std::string_view record, const Withheld& withheld)>;
  Forgetting(Writer& writer, IsForgotten is_forgotten) : writer_(writer), is_forgotten_(std::move(is_forgotten)) {}

  struct Report {
    std::uint64_t sessions = 0;
    std::uint64_t raw_bytes = 0;  // freed
  };
  // Takes the uids as retention and plans give them, subagents included. Returns Errc::store_busy when a reader kept
  // the file from being cleared of traces. The sessions can then no longer be found, and finish() clears the traces.
  Result<Report> forget(const std::vector<std::string>& session_uids);

  // Deletes everything that the store still holds of forgotten sessions. Can be repeated.
  Result<Report> finish();

  // Replaces the items that shared sources still hold of forgotten sessions by one for each session, under its alias
  // (Withheld::alias). Part of finish(). By itself it mends a store of an earlier version.
  Result<void> replace_items();

 private:
  std::vector<std::string> stored_sessions();
  void remove_rows(const std::string& uid);
  void remove_sources();
  void replace_items_of(std::int64_t source, const std::string& uid);
  void remove_what_nothing_names();
  void clear_index();

  Writer& writer_;
  const IsForgotten is_forgotten_;
};

}  // namespace memd
