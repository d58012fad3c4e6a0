#include "daemon/ingest/commit_loop.hpp"

#include "daemon/log.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "store/write/retention.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace memd {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kLongestRetryDelay{30'000};
constexpr std::uint64_t kMuch = 32 << 20;
constexpr std::uint64_t kLeastPerSlice = 16 << 10;  // bookkeeping for a source, however small the slice
constexpr TimeMs kHour = kMsPerDay / 24;

// Turns an exception of the task into an error, so that the loop continues.
Result<void> caught(const std::function<Result<void>(Writer&)>& task, Writer& writer) {
  try {
    return task(writer);
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::exception& e) {
    return Error(Errc::store, std::string("the task failed: ") + e.what());
  }
}

}  // namespace

CommitLoop::CommitLoop(asio::io_context& loop, const Clock& clock, const IngestOptions& options,
                       IngestProgress& progress, InFlightCounter& work)
    : loop_(loop),
      clock_(clock),
      options_(options),
      progress_(progress),
      work_(work),
      mail_(loop, work),
      retry_(loop) {}

void CommitLoop::open(std::unique_ptr<Writer> writer, Mailbox<ToReader>& reader, std::function<void()> on_commit) {
  writer_ = std::move(writer);
  store_ = PlacedFile(writer_->file());
  reader_ = &reader;
  on_commit_ = std::move(on_commit);
  last_expiry_ = clock_.now();
  // A failure here is made up for by the first pass.
  Retention retention(*writer_);
  const auto announced = retention.announce(options_.retention);
  // One pass a day; a restart triggers none.
  const TimeMs now = clock_.now();
  last_retention_ = announced ? std::min(retention.last_pass(), now) : 0;
  opened_at_ = now;
}

asio::awaitable<void> CommitLoop::run() {
  for (;;) {
    const auto message = co_await mail_.receive();
    if (!message) break;
    if (auto* slice = std::get_if<SliceRead>(message.get()))
      co_await on(*slice);
    else if (auto* nothing = std::get_if<NoMoreSlices>(message.get()))
      co_await on(*nothing);
    else
      co_await on(std::get<WriterTask>(*message));
    if (uncommitted_letters_ == 0) use_pause();
  }
  // Stopped: commit what was read.
  auto result = commit();
  if (result && progress_.snapshot().commits > 0) result = writer_->optimize();
  if (!result) progress_.update([&](IngestSnapshot& s) { s.last_error = result.error().message(); });
}

void CommitLoop::stop() {
  stopping_ = true;
  asio::post(loop_, [this] { retry_.cancel(); });
}

asio::awaitable<void> CommitLoop::on(SliceRead& message) {
  std::move(message.sights.begin(), message.sights.end(), std::back_inserter(sights_));
  if (message.epoch != epoch_) {  // read before the last reload
    finished(1);
  } else {
    auto result = write(message);
    if (result && (sources_set_back_ || commit_is_due())) result = commit();
    const Error refusal = result ? Error() : result.error();
    if (!result) co_await recover(refusal);
    written_since_release_ += std::max(message.bytes, kLeastPerSlice);
  }
  reader_->send(SliceWritten{std::move(message)});
}

asio::awaitable<void> CommitLoop::on(NoMoreSlices&) {
  ++uncommitted_letters_;
  if (mail_.empty()) {
    const auto result = commit();
    const Error refusal = result ? Error() : result.error();
    if (!result) co_await recover(refusal);
  }
  release_memory();
}

asio::awaitable<void> CommitLoop::on(WriterTask& message) {
  const auto committed = commit();
  const Error refusal = committed ? Error() : committed.error();
  if (!committed) co_await recover(refusal);
  if (stopping_) {
    message.done.set_value(Error(Errc::cancelled, "memd is stopping"));
  } else {
    auto done = caught(message.task, *writer_);
    if (auto reloaded = writer_->take_sources_changed() ? reload_sources() : Result<void>(); done) done = reloaded;
    const bool succeeded = done.has_value();
    message.done.set_value(std::move(done));
    // After a failure nothing is new, and a callback would make the task's owner retry at once.
    if (succeeded && on_commit_) on_commit_();
  }
  work_.finish();
}

Result<void> CommitLoop::write(SliceRead& message) {
  if (uncommitted_letters_ == 0) first_uncommitted_ = std::chrono::steady_clock::now();
  ++uncommitted_letters_;
  MEMD_TRY(sqlite::guard([&] { pack_raw(message.slice); }));
  MEMD_TRY_ASSIGN(const ApplyStats stats, writer_->apply(message.slice, message.notes));
  sources_set_back_ = sources_set_back_ || stats.sources_set_back;
  uncommitted_bytes_ += message.bytes;
  uncommitted_.push_back(message.slice.source);
  progress_.applied(message.slice.source, stats);
  progress_.update([&](IngestSnapshot& s) {
    s.events += stats.events;
    s.duplicates += stats.duplicates;
    s.diagnostics += stats.diagnostics;
  });
  return {};
}

// Packing runs on this thread: masking and decoding load the reading thread about as much as packing and rows load this
// one.
void CommitLoop::pack_raw(SourceSlice& slice) {
  if (slice.raw.empty()) return;
  slice.raw_length = slice.raw.size();
  slice.raw_packed = codec_.pack(slice.raw);
  slice.raw = {};
}

// Whether to commit although more slices are coming.
bool CommitLoop::commit_is_due() const {
  return uncommitted_bytes_ >= options_.commit_bytes ||
         std::chrono::steady_clock::now() - first_uncommitted_ >= options_.commit_interval;
}

Result<void> CommitLoop::commit() {
  const bool wrote = writer_->has_uncommitted();
  if (wrote) {
    MEMD_TRY(store_.check());
    MEMD_TRY(expire_diagnostics());
    MEMD_TRY(writer_->commit());
    if (!std::exchange(last_logged_error_, {}).empty()) log::info("the store takes what is written again");
  }
  for (const auto& source : uncommitted_)
    progress_.committed(source);
  uncommitted_.clear();
  uncommitted_bytes_ = 0;
  retry_delay_ = {};
  progress_.update([&](IngestSnapshot& s) {
    if (!wrote) return;  // the error stays until a write succeeds
    s.last_error.clear();
    ++s.commits;
    s.last_commit = clock_.now();
  });
  if (!sights_.empty()) {
    MEMD_TRY(writer_->transact([this](sqlite::Database& db) { projects::note(db, sights_); }));
    sights_.clear();
  }
  if (wrote) look_after_store();
  if (wrote && on_commit_) on_commit_();
  if (std::exchange(sources_set_back_, false)) MEMD_TRY(reload_sources());
  finished(std::exchange(uncommitted_letters_, 0));
  return {};
}

// Deletes expired diagnostics with the first commit of each day, because a daemon runs for weeks.
Result<void> CommitLoop::expire_diagnostics() {
  if (!has_passed(kMsPerDay, last_expiry_, clock_.now())) return {};
  last_expiry_ = clock_.now();
  MEMD_TRY(writer_->delete_expired_diagnostics());
  return {};
}

// Runs hourly maintenance and daily retention. Failures are ignored; the next run tries again.
void CommitLoop::look_after_store() {
  const TimeMs now = clock_.now();
  if (has_passed(kHour, last_upkeep_, now)) {
    last_upkeep_ = now;
    (void)writer_->maintain();
  }
  if (options_.retention.is_set() && has_passed(kHour, opened_at_, now) &&
      has_passed(kMsPerDay, last_retention_, now)) {
    last_retention_ = now;
    (void)Retention(*writer_).enforce(options_.retention, [this] { return !stopping_; });
  }
}

// Merges the search index while the mailbox is empty. Failures are retried after the next commit.
void CommitLoop::use_pause() {
  while (mail_.empty() && !stopping_) {
    const auto more = writer_->merge_search_index();
    if (!more || !*more) return;
  }
}

void CommitLoop::release_memory() {
  if (written_since_release_ <= kMuch) return;
  written_since_release_ = 0;
  writer_->release();
  reader_->send(TrimMemory{});  // queued behind the slices that the reader has to free first
}

// Sends the reader the sources as stored, under a new epoch. Its own state no longer matches the store.
Result<void> CommitLoop::reload_sources() {
  MEMD_TRY_ASSIGN(auto sources, writer_->sources());
  reader_->send(Reload{++epoch_, std::move(sources)});
  return {};
}

// Called when the store refused (disk full, I/O error, …). Undoes everything since the last commit and restarts from
// the stored state.
asio::awaitable<void> CommitLoop::recover(const Error& error) {
  progress_.update([&](IngestSnapshot& s) { s.last_error = error.message(); });
  if (last_logged_error_ != error.message()) {
    last_logged_error_ = error.message();
    log::error("the store refuses what is written, which is tried again: {}", last_logged_error_);
  }
  // Slices of the open transaction will be read again.
  writer_->roll_back();
  uncommitted_.clear();
  uncommitted_bytes_ = 0;
  sources_set_back_ = false;
  retry_delay_ = std::clamp(retry_delay_ * 2, options_.retry_after_error, kLongestRetryDelay);
  for (auto delay = retry_delay_; !stopping_; delay = kLongestRetryDelay) {
    retry_.expires_after(delay);
    co_await retry_.async_wait(kAsResult);
    if (stopping_ || reload_sources()) break;
  }
  if (stopping_) ++epoch_;  // slices still in the mailbox build on what was undone
  finished(std::exchange(uncommitted_letters_, 0));
}

void CommitLoop::finished(std::uint64_t messages) {
  if (messages == 0) return;
  reader_->send(MessagesFinished{messages});
  work_.finish(messages);
}

}  // namespace memd
