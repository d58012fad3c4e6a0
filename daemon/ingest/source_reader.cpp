#include "daemon/ingest/source_reader.hpp"

#include "schemas/base/error.hpp"
#include "store/files/git_place.hpp"
#include "store/read/forget_plan.hpp"
#include "store/read/session_contents.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace memd {
namespace {

constexpr std::chrono::milliseconds kLongestBusyRetry{1000};
const std::string kEverything;  // used instead of a path

// Returns the source bytes that the slice accounts for.
std::uint64_t bytes_of(const SourceSlice& slice, std::uint64_t cursor_before) {
  if (slice.items) {
    std::uint64_t bytes = slice.items->head.ledger.bytes;
    for (const auto& item : slice.items->added)
      bytes += item.ledger.bytes;
    return bytes;
  }
  const std::uint64_t cursor = slice.source.cursor;
  return cursor >= cursor_before ? cursor - cursor_before : cursor;
}

SourceRoots roots_of(const Discovery& discovery) {
  std::set<std::filesystem::path> own;
  for (const Discovery::Root& root : discovery.roots())
    if (root.is_own) own.insert(root.path);
  return SourceRoots(discovery.root_paths(), std::move(own));
}

}  // namespace

SourceReader::SourceReader(const Discovery& discovery, const Clock& clock, const IngestOptions& options,
                           KnownSources& sources, IngestProgress& progress)
    : discovery_(discovery),
      clock_(clock),
      options_(options),
      sources_(sources),
      progress_(progress),
      tailer_(options.tailer),
      files_(roots_of(discovery)),
      passes_(options.pass_pause, options.check_pause, options.busy_retry, kLongestBusyRetry),
      silent_(discovery.root_paths(), options.file_system, options.silent) {}
SourceReader::~SourceReader() = default;

void SourceReader::open_store(const std::filesystem::path& database, std::shared_ptr<const Withheld> withheld) {
  store_ = std::make_unique<Reader>(Reader::in_background(database));
  gate_ = std::make_unique<CaptureGate>(options_.exclusion, std::move(withheld), clock_);
  gate_->load_stored_sessions(*store_);
  withheld_changed();
  TailerLimits limits = options_.tailer;
  limits.gate = gate_.get();
  tailer_ = Tailer(limits, roots_of(discovery_));
}

SourceReader::Look SourceReader::look_at(KnownSource& known) {
  const std::string path = known.source.path;
  if (gate_->rejects_source(known.source)) {
    drop_source(path);
    return {};
  }
  if (must_wait(known)) return {};
  const bool is_told = known.is_hinted || known.is_continued;
  known.is_hinted = known.is_continued = false;
  Look out;
  const std::uint64_t cursor_before = known.source.cursor;
  const Source before = known.source;
  gate_->take_unknown_place();
  auto outcome = try_to_read(known);
  if (gate_->take_unknown_place() && !known.let_others_pass) {
    known.source = before;
    known.pass.reset();
    known.let_others_pass = true;
    known.is_continued = is_told;
    out.more = true;
    return out;
  }
  known.let_others_pass = false;
  note_shortage(path, !outcome && outcome.error().is(Errc::exhausted) ? outcome.error().message() : std::string());
  if (!outcome) {
    out.slice = on_read_failure(known, outcome.error());
    return out;
  }
  if (known.source.failures == 0) retries_.cancel(path);
  progress_.saw(known.source, clock_.now());
  out.more = known.is_continued = outcome->more;
  out.slice = std::move(outcome->slice);
  silent_.saw(path, known.source.identity.device, options_.steady_now());
  if (!out.slice) return out;
  note_change(before, known.source, is_told);
  if (options_.tailer.raw == RawMode::off) {
    std::string().swap(out.slice->raw);  // frees the memory too, because slices wait for the writer
    out.slice->raw_length = 0;
  }
  if (!gate_->admit(*out.slice)) {
    drop_source(path);
    return {};
  }
  out.sights = see_directories(out.slice->batch);
  known.source.id = std::max<SourceId>(known.source.id, 1);  // will be stored; the writer finds the row by path
  out.slice->caught_up = !out.more;
  out.bytes = bytes_of(*out.slice, cursor_before);
  return out;
}

// Learns from a change whether the source's place is silent. An event tells of a change within moments; what was
// changed before the first look, failed or was read in part before says nothing.
void SourceReader::note_change(const Source& before, const Source& now, bool is_told) {
  constexpr TimeMs kEventsComeWithin = 60'000;
  const bool is_known = before.id != 0 && before.failures == 0 && before.state == SourceState::active;
  const bool is_untold =
      !is_told && is_known && began_ != 0 && now.mtime > began_ && now.mtime + kEventsComeWithin < clock_.now();
  if (is_untold)
    silent_.found_untold(now.path, options_.steady_now());
  else
    silent_.found(now.path, options_.steady_now());
}

void SourceReader::everything_was_looked_at() {
  note_shortage({}, {});
  if (began_ == 0) began_ = clock_.now();
}

// Looks at the directories in the batch, at each once for a session while this process runs.
std::vector<DirectorySight> SourceReader::see_directories(const EventBatch& batch) {
  constexpr std::size_t kMostRemembered = 20'000;
  std::vector<DirectorySight> out;
  if (seen_directories_.size() > kMostRemembered) seen_directories_.clear();
  const auto see = [&](const std::string& session_uid, const std::string& directory) {
    if (directory.empty() || !seen_directories_.insert(session_uid + '\n' + directory).second) return;
    if (auto place = files::git_place_of(directory))
      out.push_back({directory, std::move(place->repository), std::move(place->worktree)});
  };
  for (const SessionUpdate& update : batch.sessions)
    see(update.session_uid, update.cwd);
  for (const Event& event : batch.events)
    see(event.session_uid, event.cwd);
  return out;
}

// Drops a source of which nothing is stored. A hint brings it back.
void SourceReader::drop_source(const std::string& path) {
  tailer_.close(path);
  retries_.cancel(path);
  note_shortage(path, {});
  sources_.forget(path);
}

// Reads and turns an exception of the adapter into a failure of this source only: its input was unforeseen.
Result<Tailer::Outcome> SourceReader::try_to_read(KnownSource& known) {
  const Source before = known.source;
  auto outcome = [&]() -> Result<Tailer::Outcome> {
    try {
      return read(known);
    } catch (const ErrorException& e) {
      known.pass.reset();
      if (e.error().is(Errc::exhausted)) return e.error();
      return Error(Errc::io, std::string("reading it failed: ") + e.what());
    } catch (const std::bad_alloc& e) {
      known.pass.reset();
      return Error(Errc::exhausted, std::string("reading it failed: ") + e.what());
    } catch (const std::exception& e) {
      known.pass.reset();
      return Error(Errc::io, std::string("reading it failed: ") + e.what());
    }
  }();
  if (!outcome) known.source = before;
  return outcome;
}

Result<Tailer::Outcome> SourceReader::read(KnownSource& known) {
  auto reader = known.adapter->open_snapshot(known.source, files_);
  if (!reader) return tailer_.next(known.source, *known.adapter);
  return read_in_place(known, std::move(reader));
}

Result<Tailer::Outcome> SourceReader::read_in_place(KnownSource& known, std::unique_ptr<SnapshotReader> reader) {
  const std::string path = known.source.path;
  // The pass is put back only if it continues. After an error or an exception it is dropped.
  auto pass = std::move(known.pass);
  if (!pass) {
    if (!may_begin_pass(known)) return Tailer::Outcome{};
    const auto items = [this, platform = known.source.platform, path](const std::string& uid) {
      return store_->ask(SessionItemsQuery{platform, path, uid});
    };
    const auto sessions = [this, platform = known.source.platform, path] {
      return store_->ask(ItemSessionsQuery{platform, path});
    };
    SnapshotLimits limits = options_.snapshot;
    limits.raw = options_.tailer.raw;
    limits.gate = gate_.get();
    pass = std::make_unique<SnapshotPass>(*known.adapter, SnapshotPass::Memory{items, sessions}, limits);
    if (known.needs_check && passes_.may_check(path, options_.steady_now())) {
      known.source.mark.clear();
      reader = known.adapter->open_snapshot(known.source, files_);
    }
    known.is_check = known.source.mark.empty();
    if (const auto file = files_.stat(path)) known.source.mtime = file->mtime;
    known.slices_of_pass = 0;
    known.pass_took = {};
  }
  const auto began = options_.steady_now();
  auto outcome = pass->next(*reader, known.source);
  const auto now = options_.steady_now();
  known.pass_took += now - began;
  if (!outcome) {
    if (!outcome.error().is(Errc::busy)) return outcome.error();
    passes_.busy(path, now);
    return Tailer::Outcome{};
  }
  ++known.slices_of_pass;
  if (outcome->more) {
    known.pass = std::move(pass);
  } else {
    passes_.ended(path, now, known.pass_took);
    if (known.is_check) passes_.check_ended(path, now, known.pass_took);
    known.needs_check = outcome->unsure;
    if (known.needs_check && passes_.may_check(path, now)) passes_.again(path);
    // Hints during the pass were taken as requests for its next slice.
    if (known.slices_of_pass > 1) passes_.again(path);
  }
  if (outcome->slice) known.last_sent = sent_ + 1;
  return Tailer::Outcome{std::move(outcome->slice), outcome->more};
}

// Whether a pass may begin. It compares with the store, so earlier slices must be committed.
bool SourceReader::may_begin_pass(const KnownSource& known) {
  const std::string& path = known.source.path;
  if (!passes_.may_begin(path, options_.steady_now())) return false;
  if (known.last_sent <= finished_) return true;
  waiting_for_commit_[path] = known.last_sent;
  return false;
}

// Whether a failed source still has to wait; a hint shortens the wait. An unreachable source does not wait: the hint
// may mean that it is back.
bool SourceReader::must_wait(const KnownSource& known) {
  const Source& s = known.source;
  if (s.failures == 0 || s.state == SourceState::unreachable) return false;
  const TimeMs now = clock_.now();
  const TimeMs end = options_.back_off.end_of_wait(s.retry_at, s.failures, known.is_hinted, now);
  if (end <= now) return false;
  retries_.set(s.path, end, now);
  return true;
}

// Updates the state of a source that could not be read. Returns a slice that stores the change, if there is one.
std::optional<SourceSlice> SourceReader::on_read_failure(KnownSource& known, const Error& error) {
  Source& source = known.source;
  const std::string path = source.path;
  if (error.is(Errc::busy) || error.is(Errc::exhausted)) {  // not a failure of the source
    const TimeMs now = clock_.now();
    retries_.set(path, now + options_.back_off.first, now);
    return std::nullopt;
  }
  const Discovery::Root* root = discovery_.root_of(path);
  const auto is_same_place = [this](const std::filesystem::path& directory) {
    return sources_.has_witness(directory, options_.stat_path);
  };
  Verdict verdict = judge_absence(source, error, root != nullptr ? root->path : std::filesystem::path("/"),
                                  options_.stat_path, is_same_place);
  if (verdict.state == SourceState::gone) {
    retries_.cancel(path);
    if (source.id == 0) {
      sources_.forget(path);
      return std::nullopt;
    }
    if (source.state == SourceState::gone) return std::nullopt;
    source.failures = 0;
    source.retry_at = 0;
  } else {
    const bool unreachable = verdict.state == SourceState::unreachable;
    // Unreachable periods and failures are counted separately.
    if (unreachable != (source.state == SourceState::unreachable)) source.failures = 0;
    source.failures = std::min(source.failures + 1, 1'000'000u);
    if (!unreachable && source.failures >= options_.back_off.quarantine_after) verdict.state = SourceState::quarantined;
    const TimeMs now = clock_.now();
    source.retry_at = now + options_.back_off.delay(source.failures);
    retries_.set(path, source.retry_at, now);
  }
  if (source.size == 0) {  // never read: all its bytes are late
    std::error_code ec;
    const auto size = std::filesystem::file_size(path, ec);
    if (!ec) source.size = size;
  }
  source.state = verdict.state;
  source.state_reason = std::move(verdict.reason);
  source.id = std::max<SourceId>(source.id, 1);
  progress_.saw(source, clock_.now());
  SourceSlice slice;
  slice.source = source;
  slice.adapter_version = known.adapter->describe().adapter_version;
  return slice;
}

// Records a shortage of this process for the path. Empty `why`: it is over.
void SourceReader::note_shortage(const std::string& path, std::string why) {
  if (why.empty() ? sources_without_resources_.erase(path) == 0 : !sources_without_resources_.insert(path).second)
    return;
  progress_.update([&](IngestSnapshot& s) {
    s.sources_short = sources_without_resources_.size();
    if (!why.empty()) s.shortage = std::move(why);
    if (sources_without_resources_.empty()) s.shortage.clear();
  });
}

void SourceReader::look_again_at_everything(std::string why) {
  const TimeMs now = clock_.now();
  note_shortage(kEverything, std::move(why));
  retries_.set(kEverything, now + options_.back_off.first, now);
}

void SourceReader::withheld_changed() {
  const auto cut_off = store_->ask(CutOffSessionsQuery{});
  gate_->withheld_changed(cut_off ? *cut_off : std::vector<CutOffSession>());
}

void SourceReader::reload(const std::vector<Source>& sources) {
  if (gate_) withheld_changed();
  waiting_for_commit_.clear();
  retries_.clear();
  passes_.clear();
  seen_directories_.clear();  // what was seen may have been rolled back
  const TimeMs now = clock_.now();
  for (const auto& source : sources)
    if (source.retry_at != 0)
      retries_.set(source.path, options_.back_off.end_of_wait(source.retry_at, source.failures, false, now), now);
}

std::vector<std::string> SourceReader::take_due() {
  std::vector<std::string> due = retries_.take_due(clock_.now());
  for (auto& path : passes_.take_due(options_.steady_now()))
    due.push_back(std::move(path));
  std::erase_if(waiting_for_commit_, [&](const auto& entry) {
    if (entry.second > finished_) return false;
    due.push_back(entry.first);
    return true;
  });
  return due;
}

std::optional<std::chrono::nanoseconds> SourceReader::time_to_next_look() const {
  std::optional<std::chrono::nanoseconds> wait;
  if (const auto pass = passes_.next()) wait = *pass - options_.steady_now();
  if (const auto poll = silent_.next()) {
    const std::chrono::nanoseconds left = *poll - options_.steady_now();
    wait = wait ? std::min(*wait, left) : left;
  }
  if (const auto retry = retries_.next()) {
    const std::chrono::milliseconds left(*retry - clock_.now());
    wait = wait ? std::min<std::chrono::nanoseconds>(*wait, left) : left;
  }
  if (wait) wait = std::max(*wait, std::chrono::nanoseconds(0));
  return wait;
}

}  // namespace memd
