// The reading thread of IngestService: finds sources, reads what is new in them, has it decoded.
#include "daemon/ingest/ingest_service.hpp"
#include "store/text/redaction/mask_batch.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

// Of the source, that the slice accounts for.
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

}  // namespace

void IngestService::read_loop(const std::stop_token& stop) {
  while (wait_for_work(stop)) {
    take_hints();
    while (!stop.stop_requested()) {
      const auto path = ring_.take();
      if (!path) break;
      if (!read_one(*path, stop)) break;
      const std::lock_guard lock(mutex_);
      if (epoch_ != known_epoch_ || !hints_.empty() || pass_is_due()) break;  // these take their turn
    }
    if (ring_.empty()) flush(stop);
  }
}

bool IngestService::wait_for_work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return !hints_.empty() || !ring_.empty() || epoch_ != known_epoch_ || pass_is_due(); };
  if (!has_work()) {
    reading_ = false;
    passes_put_off_ = passes_.next() || !waiting_for_commit_.empty();
    progress_.update([](IngestSnapshot& s) { s.idle = true, s.current.clear(), s.sources_pending = 0; });
    if (is_idle()) became_idle_.notify_all();
  }
  // A timed wait only while a source is to be looked at again.
  if (const auto due = time_to_next_look())
    wake_reader_.wait_for(lock, stop, *due, has_work);
  else
    wake_reader_.wait(lock, stop, has_work);
  const bool go = !stop.stop_requested();
  reading_ = go;
  if (!go && is_idle()) became_idle_.notify_all();
  return go;
}

void IngestService::take_hints() {
  Hints hints;
  std::vector<Source> fresh;
  bool reload = false;
  {
    const std::lock_guard lock(mutex_);
    hints = std::exchange(hints_, {});
    if (epoch_ != known_epoch_) {
      reload = true;
      known_epoch_ = epoch_;
      fresh = std::exchange(fresh_sources_, {});
    }
  }
  if (reload) {
    known_.clear();
    {
      const std::lock_guard lock(mutex_);
      waiting_for_commit_.clear();
    }
    ring_.clear();
    retries_.clear();
    passes_.clear();
    progress_.reset_sources();
    for (auto& source : fresh) {
      progress_.saw(source, 0);
      progress_.committed(source);
      Known& known = known_[source.path];
      known.adapter = discovery_.adapter(source.platform);
      if (source.retry_at != 0) retries_.set(source.path, source.retry_at);
      known.source = std::move(source);
    }
  }
  if (hints.scan) {
    add(discovery_.find_all());
    // A source that is not found any more has to be looked at too.
    for (const auto& [path, known] : known_)
      if (known.source.state == SourceState::active && discovery_.classify(path)) ring_.add(path);
    progress_.update([this](IngestSnapshot& s) { s.last_scan = clock_.now(); });
  }
  std::sort(hints.paths.begin(), hints.paths.end());
  hints.paths.erase(std::unique(hints.paths.begin(), hints.paths.end()), hints.paths.end());
  for (const auto& path : hints.paths)
    take_path_hint(path);
  add_due_retries();
  add_due_passes();
  for (auto& file : hints.files) {
    if (known_.contains(file.path))
      ring_.add(file.path);
    else
      add({discovery_.classify(file.path).value_or(std::move(file))});
  }
  progress_.update([this](IngestSnapshot& s) { s.idle = false, s.sources_pending = ring_.size(); });
}

void IngestService::take_path_hint(const std::string& path) {
  if (known_.contains(path)) return ring_.add(path);
  const auto part_of = discovery_.classify(path);
  if (part_of && known_.contains(part_of->path)) return ring_.add(part_of->path);
  if (const auto whole = discovery_.part_of(path)) return add_known_named(*whole);
  add(discovery_.find(path));
  add_known_below(path);
}

void IngestService::add_known_named(const Discovery::NamedSource& whole) {
  for (const auto& [path, known] : known_)
    if (known.source.platform == whole.platform && path.ends_with("/" + whole.name)) ring_.add(path);
}

// What is not found there any more has to be looked at too.
void IngestService::add_known_below(const std::string& directory) {
  const std::string prefix = directory + "/";
  for (auto it = known_.lower_bound(prefix); it != known_.end() && it->first.starts_with(prefix); ++it)
    if (it->second.source.state == SourceState::active) ring_.add(it->first);
}

void IngestService::add(const std::vector<SourceCandidate>& candidates) {
  for (const auto& c : candidates) {
    auto [it, is_new] = known_.try_emplace(c.path);
    if (is_new) {
      it->second.source.platform = c.platform;
      it->second.source.path = c.path;
      it->second.source.format = c.format;
    }
    it->second.adapter = discovery_.adapter(c.platform);
    ring_.add(c.path);
    // How much there is to do is known before any of it is done.
    Source seen = it->second.source;
    seen.size = c.size;
    progress_.saw(seen, clock_.now());
  }
}

bool IngestService::read_one(const std::string& path, const std::stop_token& stop) {
  const auto it = known_.find(path);
  if (it == known_.end() || it->second.adapter == nullptr) return true;
  Known& known = it->second;
  if (must_wait(known)) {
    retries_.set(path, known.source.retry_at);
    return true;
  }
  const std::uint64_t cursor_before = known.source.cursor;
  auto outcome = try_to_look_at(known);
  if (!outcome) {
    lost(known, outcome.error(), stop);
    return true;
  }
  if (known.source.failures == 0) retries_.cancel(path);
  progress_.saw(known.source, clock_.now());
  if (outcome->more) ring_.add(path);
  if (!outcome->slice) return true;

  SourceSlice& slice = *outcome->slice;
  if (options_.tailer.raw == RawMode::off) slice.raw.clear();
  mask_secrets(slice.batch);                                 // here, because the writer is the busier thread
  known.source.id = std::max<SourceId>(known.source.id, 1);  // stored from now on; the writer knows the row by path
  slice.caught_up = !outcome->more;
  const std::uint64_t bytes = bytes_of(slice, cursor_before);
  progress_.update([&](IngestSnapshot& s) {
    s.current = path;
    s.sources_pending = ring_.size();
    s.bytes_read += bytes;
  });
  return push(std::move(slice), bytes, stop);
}

bool IngestService::push(SourceSlice slice, std::uint64_t bytes, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ++in_flight_;
  }
  unflushed_ = true;
  assembly::BatchNotes notes(slice.batch);
  if (queue_.push({std::move(slice), std::move(notes), bytes, true, known_epoch_}, stop)) return true;
  finished(1);
  return false;
}

// Tells the writer that nothing more follows for now.
bool IngestService::flush(const std::stop_token& stop) {
  if (!unflushed_) return true;
  unflushed_ = false;
  {
    const std::lock_guard lock(mutex_);
    ++in_flight_;
  }
  if (queue_.push({std::nullopt, {}, 0, false, known_epoch_}, stop)) return true;
  finished(1);
  return false;
}

}  // namespace memd
