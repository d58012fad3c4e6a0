#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/exclusion.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"
#include "store/db/withheld.hpp"

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

namespace memd {

namespace raw {
struct FrameHeader;
}

// Keeps away from the store what is not to be captured: forgotten sessions, excluded ones, and what agents wrote while
// capture was paused. Stands between reading and decoding on one side and the writer on the other, so that neither rows
// nor records are made of it. Of a log of one session that is shut out the store does not even know the source; in
// other sources records become blanks, and items lines of the ledger. One thread. The clock must outlive it.
class CaptureGate {
 public:
  CaptureGate(Exclusion exclusion, std::shared_ptr<const Withheld> withheld, const Clock& clock)
      : exclusion_(std::move(exclusion)), withheld_(std::move(withheld)), clock_(clock) {}

  // Judges the sessions that are in the store already by the exclusion of today. Throws ErrorException.
  void learn(sqlite::Database& db);
  // Something was forgotten.
  void withheld_changed() { known_.clear(); }

  // Nothing of the source is to be read.
  bool is_shut(const Source& source) const;

  // Whether something that was decoded from the records of a log is not to be captured; `first` is where it begins.
  bool is_concerned(const EventBatch& batch, const EventBatch::Length& first, const Source& source);
  // Then: puts blanks in place of those records. Readable bytes follow the lines.
  void blank(std::span<char> lines, const Source& source, RecordDecoder& decoder);

  // Whether the item that the end of the batch was decoded from is not to be captured.
  bool holds_back_item(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid);

  // Whether something was met since this was asked that tells no place: others may tell it first.
  bool take_unknown_place() { return std::exchange(met_unknown_place_, false); }

  // Looks at a slice as a whole. False: nothing of it, nor of its source, is to be stored.
  bool admit(SourceSlice& slice);

 private:
  enum class Fate : std::uint8_t { unknown, captured, paused, shut_out };
  // `shared`: the source, if it is of several sessions.
  Fate fate_of(const EventBatch& batch, const EventBatch::Length& first, const Source* shared);
  // Whether what a source of several sessions says of this one is of an excluded place, or may be.
  bool is_misplaced(const Source& shared, const std::string& uid, const std::string& directory);
  // Nothing is to be kept away, as with most users: no record has to be looked at.
  bool is_wide_open() const {
    return exclusion_.is_empty() && shut_.empty() && shut_records_.empty() && withheld_->is_empty();
  }
  bool is_forgotten(const std::string& uid);
  bool is_excluded(const std::string& directory);
  bool is_shut_session(std::string_view uid) const;
  bool was_paused(TimeMs time) const;
  bool descends_from_forgotten(const SessionUpdate& update);
  void shut_session(SourceSlice& slice);
  void shut(const std::string& uid, const SourceSlice& slice);
  bool is_title_of_other(const SessionUpdate& update);

  const Exclusion exclusion_;
  const std::shared_ptr<const Withheld> withheld_;
  const Clock& clock_;
  std::set<std::string, std::less<>> shut_;         // sessions that are excluded, or go on from a forgotten one
  std::set<std::string, std::less<>> shut_paths_;   // of logs of such sessions
  std::unordered_set<std::uint64_t> shut_records_;  // what titles may point at, of their first slices
  bool met_unknown_place_ = false;
  std::set<std::string, std::less<>> admitted_;        // whose directory is known not to be excluded
  std::unordered_map<std::string, bool> known_;        // sessions: forgotten or not
  std::unordered_map<std::string, bool> directories_;  // excluded or not
};

// In the ledger.
inline constexpr std::string_view kNotCapturedReason = "not to be captured";

// For Forgetting, see there.
bool is_of_forgotten(const Adapter* adapter, const raw::FrameHeader& header, std::string_view record,
                     const Withheld& withheld);

}  // namespace memd
