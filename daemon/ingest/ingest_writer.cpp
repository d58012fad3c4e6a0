// The writing thread of IngestService: applies slices and commits them.
#include "daemon/ingest/ingest_service.hpp"

#include "store/write/retention.hpp"

#include <algorithm>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace memd {
namespace {

constexpr std::chrono::milliseconds kLongestRetryDelay{30'000};
constexpr std::uint64_t kMuch = 32 << 20;

// After a large ingest the allocator holds on to what it took; a daemon that idles for weeks should not.
void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace

void IngestService::write_loop(const std::stop_token& stop) {
  while (auto item = queue_.pop(stop)) {
    std::uint64_t epoch = 0;
    {
      const std::lock_guard lock(mutex_);
      epoch = epoch_;
    }
    if (item->task) {
      if (auto committed = commit_now(); !committed) recover(committed.error(), stop);
      item->task(*writer_);
      if (on_commit_) on_commit_();
      finished(1);
      use_pause(stop);
      continue;
    }
    if (item->epoch != epoch) {  // read with knowledge that turned out wrong
      finished(1);
      continue;
    }
    auto result = write(*item);
    if (result && (sources_set_back_ || commit_is_due(*item))) result = commit_now();
    if (!result) recover(result.error(), stop);
    written_since_trim_ += item->bytes;
    const bool more_coming = item->more_coming;
    queue_.give_back(std::move(*item));
    if (!more_coming) queue_.drop_given_back();
    if (!more_coming && written_since_trim_ > kMuch) {
      written_since_trim_ = 0;
      writer_->release();
      give_memory_back();
    }
    if (uncommitted_items_ == 0) use_pause(stop);
  }
  // Stopped: what was read is kept.
  auto result = commit_now();
  if (result && progress_.snapshot().commits > 0) result = writer_->optimize();
  if (!result) progress_.update([&](IngestSnapshot& s) { s.last_error = result.error().message(); });
}

Result<void> IngestService::write(SliceQueue::Item& item) {
  if (uncommitted_items_ == 0) first_uncommitted_ = std::chrono::steady_clock::now();
  ++uncommitted_items_;
  if (!item.slice) return {};
  pack_raw(*item.slice);
  MEMD_TRY_ASSIGN(const ApplyStats stats, writer_->apply(*item.slice, &item.notes));
  sources_set_back_ = sources_set_back_ || stats.sources_set_back;
  uncommitted_bytes_ += item.bytes;
  uncommitted_.push_back(item.slice->source);
  progress_.applied(item.slice->source, stats);
  progress_.update([&](IngestSnapshot& s) {
    s.events += stats.events;
    s.duplicates += stats.duplicates;
    s.diagnostics += stats.diagnostics;
  });
  return {};
}

// Here, because masking and decoding keep the other thread as busy as packing and rows keep this one.
void IngestService::pack_raw(SourceSlice& slice) {
  if (slice.raw.empty()) return;
  slice.raw_length = slice.raw.size();
  slice.raw_packed = codec_.pack(slice.raw);
  slice.raw = {};
}

bool IngestService::commit_is_due(const SliceQueue::Item& last) const {
  if (!last.more_coming) return queue_.empty();
  return uncommitted_bytes_ >= options_.commit_bytes ||
         std::chrono::steady_clock::now() - first_uncommitted_ >= options_.commit_interval;
}

// A daemon lives for weeks: what expires while it runs goes with the first commit of the day.
Result<void> IngestService::expire_diagnostics() {
  if (clock_.now() - last_expiry_ < kMsPerDay) return {};
  last_expiry_ = clock_.now();
  MEMD_TRY(writer_->delete_expired_diagnostics());
  return {};
}

// Nothing depends on it: what fails is tried again the next time.
void IngestService::look_after_store() {
  constexpr TimeMs kHour = kMsPerDay / 24;
  const TimeMs now = clock_.now();
  if (now - last_upkeep_ >= kHour) {
    last_upkeep_ = now;
    (void)writer_->maintain();
  }
  if (options_.retention.is_set() && now - last_retention_ >= kMsPerDay) {
    last_retention_ = now;
    (void)Retention(*writer_).enforce(options_.retention, false);
  }
}

Result<void> IngestService::commit_now() {
  const bool wrote = writer_ != nullptr && writer_->has_uncommitted();
  if (wrote) {
    MEMD_TRY(expire_diagnostics());
    MEMD_TRY(writer_->commit());
  }
  for (const auto& source : uncommitted_)
    progress_.committed(source);
  uncommitted_.clear();
  uncommitted_bytes_ = 0;
  retry_delay_ = {};
  progress_.update([&](IngestSnapshot& s) {
    s.last_error.clear();
    if (!wrote) return;
    ++s.commits;
    s.last_commit = clock_.now();
  });
  if (wrote) look_after_store();
  if (wrote && on_commit_) on_commit_();
  if (std::exchange(sources_set_back_, false)) MEMD_TRY(reload_sources());
  finished(std::exchange(uncommitted_items_, 0));
  return {};
}

// Between what agents write. What fails is tried again after the next commit.
void IngestService::use_pause(const std::stop_token& stop) {
  while (queue_.empty() && !stop.stop_requested()) {
    const auto more = writer_->merge_search_index();
    if (!more || !*more) return;
  }
}

// What the reader knows is not what the store says any more.
Result<void> IngestService::reload_sources() {
  MEMD_TRY_ASSIGN(auto sources, writer_->sources());
  const std::lock_guard lock(mutex_);
  ++epoch_;
  fresh_sources_ = std::move(sources);
  hints_.scan = true;
  wake_reader_.notify_one();
  return {};
}

// The store refused (disk full, I/O error, …): everything since the last commit is undone. Start again from what the
// store knows, later and later, until the cause goes away.
void IngestService::recover(const Error& error, const std::stop_token& stop) {
  progress_.update([&](IngestSnapshot& s) { s.last_error = error.message(); });
  uncommitted_.clear();
  uncommitted_bytes_ = 0;
  sources_set_back_ = false;
  retry_delay_ = std::clamp(retry_delay_ * 2, options_.retry_after_error, kLongestRetryDelay);

  std::mutex wait_mutex;
  std::unique_lock wait_lock(wait_mutex);
  std::condition_variable_any never;
  never.wait_for(wait_lock, stop, retry_delay_, [] { return false; });
  while (!stop.stop_requested()) {
    if (reload_sources()) break;
    never.wait_for(wait_lock, stop, kLongestRetryDelay, [] { return false; });
  }
  finished(std::exchange(uncommitted_items_, 0));
}

}  // namespace memd
