#include "daemon/memories/indexer_thread.hpp"

#include "daemon/log.hpp"
#include "schemas/base/error.hpp"

namespace memd::memories {
namespace {

using SteadyClock = std::chrono::steady_clock;

// An editor writes a file in several steps, so a change is processed after a quiet period.
constexpr std::chrono::milliseconds kQuiet{8};
constexpr std::chrono::milliseconds kLongestWait{24};
// While a history is ingested, projects appear by the dozen.
constexpr std::chrono::milliseconds kProjectsWait{300};
// A pause before vectors are written, so that a writer of several memories does not wait for each vector.
constexpr std::chrono::milliseconds kVectorsWait{100};
constexpr std::chrono::seconds kRetryAfterTrouble{30};

}  // namespace

IndexerThread::IndexerThread(IndexerParts parts, const Clock& clock)
    : clock_(clock),
      indexer_(std::move(parts), clock),
      thread_("memd-memories", [this](const std::stop_token& stop) { return round(stop); }) {}

IndexerThread::~IndexerThread() { stop(); }

void IndexerThread::start() {
  tell([this](Hints& h) { is_running_ = h.everything = h.thorough = true; });
  thread_.start(false);
}

template <class F>
void IndexerThread::tell(F&& change) {
  const std::lock_guard lock(mutex_);
  change(hints_);
  ++told_;
  wake();
}

void IndexerThread::wake() {
  told_more_.notify_one();
  thread_.hint();
}

void IndexerThread::hint(const std::filesystem::path& path) {
  tell([&](Hints& h) { h.paths.insert(path); });
}
void IndexerThread::hint_everything() {
  tell([](Hints& h) { h.everything = true; });
}
void IndexerThread::hint_commit() {
  tell([](Hints& h) { h.commit = true; });
}
void IndexerThread::hint_project(const std::string& directory) {
  if (directory.empty()) return;
  tell([&](Hints& h) { h.projects.insert(directory); });
}

bool IndexerThread::await_look(const std::string& directory, std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  std::uint64_t wanted = 1;  // start() tells first
  if (!directory.empty()) {
    const auto [known, is_new] = awaited_.try_emplace(directory, told_ + 1);
    if (is_new) {
      hints_.projects.insert(directory);
      ++told_;
    }
    wanted = known->second;
  }
  if (dealt_with_ >= wanted) return trouble_.empty();
  ++waiting_;
  wake();
  const bool done = settled_.wait_for(lock, deadline, [&] { return dealt_with_ >= wanted || !is_running_; });
  --waiting_;
  return done && is_running_ && trouble_.empty();
}

Result<void> IndexerThread::rebuild(std::string reason) {
  std::future<Result<void>> done;
  {
    const std::lock_guard lock(mutex_);
    if (!is_running_) return Error(Errc::cancelled, "memd is stopping");
    done = hints_.rebuilds.emplace_back(std::move(reason), std::promise<Result<void>>()).second.get_future();
    ++told_;
    wake();
  }
  return done.get();
}

bool IndexerThread::settle(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = told_;
  ++waiting_;
  wake();
  const bool settled = settled_.wait_for(
      lock, deadline, [&] { return (dealt_with_ >= wanted && !has_vectors_to_keep_) || !is_running_; });
  --waiting_;
  return settled && is_running_;
}

void IndexerThread::stop() {
  thread_.stop();
  const std::lock_guard lock(mutex_);
  is_running_ = false;
  for (auto& [reason, done] : hints_.rebuilds)
    done.set_value(Error(Errc::cancelled, "memd is stopping"));
  hints_.rebuilds.clear();
  settled_.notify_all();
}

void IndexerThread::join() { thread_.join(); }

IndexerThread::Looked IndexerThread::looked() const {
  const std::lock_guard lock(mutex_);
  return looked_;
}

std::string IndexerThread::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

BackgroundThread::Next IndexerThread::round(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const bool is_due = SteadyClock::now() >= idle_work_at_;
  if (hints_.empty() && has_vectors_to_keep_ && (is_due || waiting_ > 0)) {
    lock.unlock();
    const bool more = indexer_.keep_vectors();
    lock.lock();
    has_vectors_to_keep_ = more;
    if (!more) settled_.notify_all();
    idle_work_at_ = SteadyClock::now() + (more ? kVectorsWait : kRetryAfterTrouble);
  } else {
    if (hints_.empty() && !has_vectors_to_keep_ && !trouble_.empty() && is_due) hints_.everything = true;
    if (!hints_.empty()) gather(lock, stop);
    if (!hints_.empty() && !stop.stop_requested()) {
      Hints taken = std::exchange(hints_, {});
      const std::uint64_t told = told_;
      lock.unlock();
      deal_with(std::move(taken));
      lock.lock();
      dealt_with_ = told;
      has_vectors_to_keep_ = true;
      idle_work_at_ = SteadyClock::now() + kVectorsWait;
      settled_.notify_all();
    }
  }
  if (has_vectors_to_keep_ && waiting_ > 0) return {SteadyClock::now()};
  return has_vectors_to_keep_ || !trouble_.empty() ? BackgroundThread::Next{idle_work_at_} : BackgroundThread::Next{};
}

// Waits until hints no longer come in quick succession.
void IndexerThread::gather(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const bool only_projects = hints_.paths.empty() && !hints_.everything && hints_.rebuilds.empty();
  const auto quiet = only_projects ? kProjectsWait : kQuiet;
  const auto latest = SteadyClock::now() + (only_projects ? kProjectsWait : kLongestWait);
  for (std::uint64_t seen = 0;
       seen != told_ && SteadyClock::now() < latest && waiting_ == 0 && !stop.stop_requested();) {
    seen = told_;
    told_more_.wait_for(lock, stop, quiet, [&] { return told_ != seen || waiting_ > 0; });
    if (only_projects && !hints_.paths.empty()) break;
  }
}

void IndexerThread::deal_with(Hints hints) {
  Result<void> done;
  bool everything = hints.everything;
  for (const std::string& directory : hints.projects)
    everything |= indexer_.add_project(directory);
  for (auto& [reason, answer] : hints.rebuilds) {
    done = indexer_.rebuild(reason);
    answer.set_value(done);
    everything = false;
  }
  if (everything)
    done = indexer_.look_at_everything(hints.thorough);
  else if (hints.rebuilds.empty() && !hints.paths.empty())
    done = indexer_.look_at(hints.paths);
  if (done && hints.commit && !everything) done = indexer_.look_for_projects();
  if (!done && !done.error().is(Errc::cancelled))
    log::error("memories are not indexed, which is tried again: {}", done.error().message());
  const std::lock_guard lock(mutex_);
  if (done) looked_ = {clock_.now(), indexer_.unread(), indexer_.stale_indexes()};
  trouble_ = done || done.error().is(Errc::cancelled) ? std::string() : done.error().message();
}

}  // namespace memd::memories
