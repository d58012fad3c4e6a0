#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/exclusion.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/source.hpp"
#include "store/db/withheld.hpp"
#include "store/read/forget_plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memd {

class Reader;

// Keeps out of the store what must not be captured: forgotten sessions and exchanges, excluded ones, and what agents
// wrote while capture was paused. It stands between reading and decoding on one side and the writer on the other, so
// such content becomes neither rows nor raw records. The store gets no row for a single-session log that is rejected.
// In other sources, records are blanked and items become ledger lines. One thread. The clock must outlive it.
class CaptureGate {
 public:
  CaptureGate(Exclusion exclusion, std::shared_ptr<const Withheld> withheld, const Clock& clock)
      : exclusion_(std::move(exclusion)), withheld_(std::move(withheld)), clock_(clock), turns_(*withheld_) {}

  // Applies the current exclusion to the sessions already in the store. If the store cannot be read, the gate judges by
  // the sources' own content.
  void load_stored_sessions(Reader& store);
  // Clears the cache of forgotten sessions. Call it at first, after something was forgotten, and when what was read
  // since the last commit is read again.
  void withheld_changed(const std::vector<CutOffSession>& cut_off) {
    known_.clear();
    turns_.reset(cut_off);
  }
  // Call where an item of a session is read first, from its start.
  void restart(std::string_view session_uid) { turns_.restart(session_uid); }

  // The forgotten texts, to be masked before records are decoded; null: there are none.
  std::shared_ptr<const redaction::ForgottenTexts> forgotten_texts() const {
    auto texts = withheld_->texts();
    return texts->is_empty() ? nullptr : std::move(texts);
  }

  // Whether nothing of the source may be read.
  bool rejects_source(const Source& source) const;

  // Whether the batch, from `first` on, holds something that must not be captured. It was decoded from records of a
  // log.
  bool must_blank(const EventBatch& batch, const EventBatch::Length& first, const Source& source);
  // Overwrites those records with blanks. Readable bytes must follow the lines.
  void blank(std::span<char> lines, const Source& source, RecordDecoder& decoder);

  // Whether the session was forgotten. What a shared source holds of it is counted under its alias, and not read.
  bool is_forgotten(const std::string& uid);
  std::string alias(std::string_view uid) const { return withheld_->alias(uid); }

  // Whether the item that the batch, from `first` on, was decoded from must not be captured.
  bool rejects_item(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid);

  // Whether a session of unknown place was met since the last call. Reading other sources first may reveal its place.
  bool take_unknown_place() { return std::exchange(met_unknown_place_, false); }

  // Judges a slice as a whole. False: neither the slice nor its source may be stored.
  bool admit(SourceSlice& slice);

 private:
  enum class CaptureState : std::uint8_t { unknown, captured, paused, rejected };
  // `shared`: the source if it holds several sessions, else null.
  CaptureState capture_state_of(const EventBatch& batch, const EventBatch::Length& first, const Source* shared);
  // Whether a shared source's data about this session belongs, or may belong, to an excluded place.
  bool is_misplaced(const Source& shared, const std::string& uid, const std::string& directory);
  // True when nothing is withheld, as for most users. Records are then not examined.
  bool captures_everything() const {
    return exclusion_.is_empty() && rejected_.empty() && rejected_records_.empty() && withheld_->is_empty();
  }
  bool is_excluded(const std::string& directory);
  bool is_rejected_session(std::string_view uid) const;
  bool was_paused(TimeMs time) const;
  bool descends_from_forgotten(const SessionUpdate& update);
  void blank_session(SourceSlice& slice);
  void reject(const std::string& uid, const SourceSlice& slice);
  bool is_title_of_other(const SessionUpdate& update);

  const Exclusion exclusion_;
  const std::shared_ptr<const Withheld> withheld_;
  const Clock& clock_;
  std::set<std::string, std::less<>> rejected_;         // sessions that are excluded or continue a forgotten one
  std::set<std::string, std::less<>> rejected_paths_;   // logs of such sessions
  std::unordered_set<std::uint64_t> rejected_records_;  // record keys of their first slices, which titles may refer to
  ForgottenTurns turns_;
  bool met_unknown_place_ = false;
  std::set<std::string, std::less<>> admitted_;        // sessions whose directory is not excluded
  std::unordered_map<std::string, bool> known_;        // session uid → forgotten?
  std::unordered_map<std::string, bool> directories_;  // directory → excluded?
};

// Reason written to the ledger.
inline constexpr std::string_view kNotCapturedReason = "not to be captured";

}  // namespace memd
