#pragma once

#include "schemas/base/result.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

class Writer;

// Deletes sessions and single exchanges for good: rows, full text, vectors, raw records, cached answers of language
// models, and their traces in free pages. First records that they are forgotten (store/db/withheld.hpp). No scan,
// rebuild or import then brings them back, and the next opener of the store can finish if the process was killed. Uses
// the writer's connection on the writer's thread, commits its open transaction first, and owns nothing.
class Forgetting {
 public:
  // Returns whether a record belongs to a forgotten exchange or, in a source that is not the session's own, to a
  // forgotten session or refers to one of its records. Called for the records of the raw layer, file by file in the
  // order of the source; `place` as in raw::Erasure. At least 64 readable bytes follow the record.
  using Judge = std::function<bool(const raw::FrameHeader&, std::string_view record, std::uint64_t place)>;
  using MakeJudge = std::function<Judge(const Withheld& withheld)>;
  Forgetting(Writer& writer, MakeJudge make_judge) : writer_(writer), make_judge_(std::move(make_judge)) {}

  struct Report {
    std::uint64_t sessions = 0;
    std::uint64_t exchanges = 0;  // of sessions that stay
    std::uint64_t raw_bytes = 0;  // freed
  };
  // Takes the uids as retention and plans give them, subagents included. Returns Errc::store_busy when a reader kept
  // the file from being cleared of traces. The sessions can then no longer be found, and finish() clears the traces.
  // Takes exchanges of sessions that stay, as plans give them, too (store/read/forget_plan.hpp).
  Result<Report> forget(const std::vector<std::string>& session_uids,
                        const std::vector<ForgottenExchange>& exchanges = {});

  // Removes a text of at least redaction::kShortestForgotten bytes wherever it stands in the store, and remembers it by
  // keyed hashes, so that it is masked where it is read again.
  Result<Report> forget_text(const std::string& text);

  // Deletes everything that the store still holds of forgotten sessions, exchanges and texts. Can be repeated.
  Result<Report> finish();

  // Replaces the items that shared sources still hold of forgotten sessions by one for each session, under its alias
  // (Withheld::alias). Part of finish(). By itself it mends a store of an earlier version.
  Result<void> replace_items();

 private:
  std::vector<std::string> stored_sessions();
  void remove_rows(const std::string& uid);
  std::uint64_t remove_exchanges();
  void mask_texts();
  void remove_sources();
  void replace_items_of(std::int64_t source, const std::string& uid);
  void remove_what_nothing_names();
  void clear_index();

  Writer& writer_;
  const MakeJudge make_judge_;
};

}  // namespace memd
