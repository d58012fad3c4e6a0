#include "daemon/ingest/capture_gate.hpp"

#include "store/files/git_place.hpp"
#include "store/read/session_contents.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <vector>

namespace memd {
namespace {

std::string_view main_session(std::string_view uid) { return uid.substr(0, uid.find('/')); }

void skip(CoverageEntry& entry) {
  entry.disposition = Disposition::skipped;
  entry.reason = kNotCapturedReason;
}

// Returns the first working directory in the batch; null: it has none.
const std::string* first_directory(const EventBatch& batch) {
  for (const auto& update : batch.sessions)
    if (!update.cwd.empty()) return &update.cwd;
  for (const auto& event : batch.events)
    if (!event.cwd.empty()) return &event.cwd;
  return nullptr;
}

const Source* shared(const Source& source) { return source.session_uid.empty() ? &source : nullptr; }

}  // namespace

void CaptureGate::load_stored_sessions(Reader& store) {
  if (exclusion_.is_empty()) return;
  const auto places = store.ask(CapturedSessionsQuery{kNotCapturedReason});
  if (!places) return;
  for (const auto& [uid, directory] : places->directories)
    (is_excluded(directory) ? rejected_ : admitted_).insert(uid);
  for (const std::string& uid : places->skipped)
    if (!admitted_.contains(uid)) rejected_.insert(uid);
}

bool CaptureGate::is_forgotten(const std::string& uid) {
  if (!withheld_->forgot_something()) return false;
  const auto [it, is_new] = known_.try_emplace(uid, false);
  if (is_new) it->second = withheld_->has_session(uid);
  return it->second;
}

bool CaptureGate::is_excluded(const std::string& directory) {
  if (exclusion_.is_empty() || directory.empty()) return false;
  const auto [it, is_new] = directories_.try_emplace(directory, false);
  if (is_new) {
    // A worktree is excluded with its repository.
    it->second = exclusion_.has_directory(directory) || exclusion_.has_directory(files::repository_of(directory));
  }
  return it->second;
}

bool CaptureGate::is_rejected_session(std::string_view uid) const {
  return !rejected_.empty() && (rejected_.contains(uid) || rejected_.contains(main_session(uid)));
}

bool CaptureGate::rejects_source(const Source& source) const {
  return withheld_->has_source(source.path) || withheld_->has_session(source.session_uid) ||
         is_rejected_session(source.session_uid) || rejected_paths_.contains(source.path) ||
         exclusion_.has_file(source.path);
}

bool CaptureGate::was_paused(TimeMs time) const { return withheld_->was_paused(time); }

bool CaptureGate::descends_from_forgotten(const SessionUpdate& update) {
  return (!update.parent_uid.empty() && is_forgotten(update.parent_uid)) ||
         (!update.forked_from.empty() && is_forgotten(update.forked_from));
}

// Prompt histories and title lists do not always contain the directory. The session's own log must then have supplied
// it; if it has not, the reader puts this source off once. A file of events contains the directory somewhere.
bool CaptureGate::is_misplaced(const Source& shared, const std::string& uid, const std::string& directory) {
  if (exclusion_.is_empty()) return false;
  if (!directory.empty()) return is_excluded(directory);
  const bool is_unknown = shared.platform != Platform::imported && !admitted_.contains(uid);
  met_unknown_place_ = met_unknown_place_ || is_unknown;
  return is_unknown;
}

// True for a title that refers to a record of a forgotten session, or of the part of a rejected session read so far.
bool CaptureGate::is_title_of_other(const SessionUpdate& update) {
  if (update.title_record_key == 0) return false;
  if (withheld_->has_record(update.title_record_key)) return true;
  met_unknown_place_ = met_unknown_place_ || !exclusion_.is_empty();
  return rejected_records_.contains(update.title_record_key);
}

CaptureGate::CaptureState CaptureGate::capture_state_of(const EventBatch& batch, const EventBatch::Length& first,
                                                        const Source* shared) {
  CaptureState state = CaptureState::unknown;
  for (std::size_t i = first.events; i < batch.events.size(); ++i) {
    const Event& event = batch.events[i];
    if (is_forgotten(event.session_uid) || is_rejected_session(event.session_uid)) return CaptureState::rejected;
    if (shared != nullptr && is_misplaced(*shared, event.session_uid, event.cwd)) return CaptureState::rejected;
    if (event.time == 0 || event.time_estimated) continue;
    if (was_paused(event.time)) return CaptureState::paused;
    state = CaptureState::captured;
  }
  for (std::size_t i = first.sessions; i < batch.sessions.size(); ++i) {
    const SessionUpdate& update = batch.sessions[i];
    if (is_title_of_other(update)) return CaptureState::rejected;
    if (is_forgotten(update.session_uid) || is_rejected_session(update.session_uid) || descends_from_forgotten(update))
      return CaptureState::rejected;
    if (shared != nullptr && !update.session_uid.empty() && is_misplaced(*shared, update.session_uid, update.cwd))
      return CaptureState::rejected;
  }
  return state;
}

bool CaptureGate::must_blank(const EventBatch& batch, const EventBatch::Length& first, const Source& source) {
  if (captures_everything()) return false;
  if (turns_.may_have(batch, first, source.session_uid)) return true;
  const CaptureState state = capture_state_of(batch, first, shared(source));
  if (state == CaptureState::unknown) return was_paused(clock_.now());
  // Captured records with a time prove nothing about those without one.
  return state != CaptureState::captured;
}

// A record without a time shares the state of the records before it; at the beginning, of those after it.
void CaptureGate::blank(std::span<char> lines, const Source& source, RecordDecoder& decoder) {
  struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
    CaptureState state = CaptureState::unknown;
  };
  std::vector<Line> found;
  const std::string_view text(lines.data(), lines.size());
  EventBatch batch;
  if (source.cursor == 0) turns_.restart(source.session_uid);
  for (std::size_t at = 0; at < text.size();) {
    const bool whole = source.format == SourceFormat::json;
    const std::size_t end = whole ? text.size() : std::min(text.find('\n', at), text.size());
    batch.clear();
    decoder.decode({text.substr(at, end - at), source.cursor + at, false}, batch);
    const bool is_forgotten = turns_.has(batch, {}, source.session_uid);
    found.push_back({at, end, is_forgotten ? CaptureState::rejected : capture_state_of(batch, {}, shared(source))});
    at = end + 1;
  }
  const auto known =
      std::find_if(found.begin(), found.end(), [](const Line& l) { return l.state != CaptureState::unknown; });
  const CaptureState now = was_paused(clock_.now()) ? CaptureState::paused : CaptureState::captured;
  CaptureState state = known == found.end()                   ? now
                       : known->state == CaptureState::paused ? CaptureState::paused
                                                              : CaptureState::captured;
  for (auto& line : found) {
    if (line.state == CaptureState::captured || line.state == CaptureState::paused) state = line.state;
    if (line.state == CaptureState::rejected || state == CaptureState::paused)
      std::fill(lines.begin() + static_cast<std::ptrdiff_t>(line.begin),
                lines.begin() + static_cast<std::ptrdiff_t>(line.end), ' ');
  }
}

bool CaptureGate::rejects_item(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid) {
  if (captures_everything()) return false;
  if (is_forgotten(std::string(session_uid)) || is_rejected_session(session_uid)) return true;
  if (turns_.has(batch, first, session_uid)) return true;
  switch (capture_state_of(batch, first, nullptr)) {
    case CaptureState::unknown: return was_paused(clock_.now());
    case CaptureState::captured: return false;
    default: return true;
  }
}

void CaptureGate::blank_session(SourceSlice& slice) {
  slice.batch.events.clear();
  slice.batch.sessions.clear();
  if (slice.items->has_head) skip(slice.items->head.ledger);
  for (auto& item : slice.items->added)
    skip(item.ledger);
  slice.raw = std::string(slice.items->added.size() + (slice.items->has_head ? 1 : 0), '\n');
  slice.raw_length = 0;  // the writer sets it from `raw`
}

bool CaptureGate::admit(SourceSlice& slice) {
  const std::string& uid = slice.items ? slice.items->session_uid : slice.source.session_uid;
  if (uid.empty()) return true;  // judged record by record
  if (!slice.items) {
    if (withheld_->has_session(uid)) return false;
    for (const auto& update : slice.batch.sessions)
      if (update.session_uid == uid && descends_from_forgotten(update)) {
        reject(uid, slice);
        return false;
      }
  }
  if (exclusion_.is_empty() || admitted_.contains(uid)) return true;
  const std::string* directory = first_directory(slice.batch);
  const bool is_out =
      is_rejected_session(uid) || (directory != nullptr ? is_excluded(*directory)
                                                        : !slice.items && slice.batch.events.empty() &&
                                                              exclusion_.may_have_stand_in(slice.source.path));
  if (!is_out) {
    if (directory != nullptr) admitted_.insert(uid);
    return true;
  }
  if (slice.items) {
    if (directory != nullptr) rejected_.insert(uid);
    blank_session(slice);
    return true;
  }
  // A session without a directory so far may name it later.
  if (directory != nullptr) reject(uid, slice);
  return false;
}

void CaptureGate::reject(const std::string& uid, const SourceSlice& slice) {
  rejected_.insert(uid);
  rejected_paths_.insert(slice.source.path);
  for (const auto& event : slice.batch.events)
    rejected_records_.insert(event.event_id);
}

}  // namespace memd
