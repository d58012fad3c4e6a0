// Starting, stopping and waiting; the two threads' loops are in ingest_reader.cpp and ingest_writer.cpp.
#include "daemon/ingest/ingest_service.hpp"

#include <pthread.h>
#include <future>
#include <utility>

namespace memd {
namespace {

// For top, gdb and perf.
void name_this_thread(const char* name) {
#ifdef __APPLE__
  ::pthread_setname_np(name);
#else
  ::pthread_setname_np(::pthread_self(), name);
#endif
}

}  // namespace

IngestService::IngestService(const Discovery& discovery, const Clock& clock, IngestOptions options)
    : discovery_(discovery),
      clock_(clock),
      options_(std::move(options)),
      tailer_(options_.tailer),
      passes_(options_.pass_pause, options_.busy_retry, std::chrono::milliseconds(1000)) {}

IngestService::~IngestService() {
  stop();
  join();
}

Result<void> IngestService::start(std::unique_ptr<Writer> writer) {
  writer_ = std::move(writer);
  MEMD_TRY(writer_->delete_expired_diagnostics());
  for (const Adapter* adapter : discovery_.unsupported()) {
    const AdapterDescription& d = adapter->describe();
    MEMD_TRY(writer_->disable_capture(d.platform, "its adapter speaks contract " + d.contract_version + ", this memd " +
                                                      std::string(kContractVersion)));
  }
  MEMD_TRY(writer_->commit());
  last_expiry_ = clock_.now();
  MEMD_TRY_ASSIGN(fresh_sources_, writer_->sources());
  store_ = std::make_unique<Reader>(writer_->file());
  epoch_ = 1;
  reader_ = std::jthread([this](const std::stop_token& stop) {
    name_this_thread("memd-read");
    read_loop(stop);
  });
  writer_thread_ = std::jthread([this](const std::stop_token& stop) {
    name_this_thread("memd-write");
    write_loop(stop);
  });
  return {};
}

void IngestService::scan() {
  const std::lock_guard lock(mutex_);
  hints_.scan = true;
  progress_.update([](IngestSnapshot& s) { s.idle = false; });  // not only when the reader wakes
  wake_reader_.notify_one();
}

void IngestService::hint(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  hints_.paths.push_back(path.string());
  wake_reader_.notify_one();
}

void IngestService::take(SourceCandidate file) {
  const std::lock_guard lock(mutex_);
  hints_.files.push_back(std::move(file));
  wake_reader_.notify_one();
}

void IngestService::stop() { reader_.request_stop(); }

void IngestService::join() {
  // The reader ends first and pushes a last flush; only then may the writer end.
  if (reader_.joinable()) reader_.join();
  writer_thread_.request_stop();
  if (writer_thread_.joinable()) writer_thread_.join();
}

Result<void> IngestService::perform(std::function<Result<void>(Writer&)> task) {
  auto done = std::make_shared<std::promise<Result<void>>>();
  auto result = done->get_future();
  {
    const std::lock_guard lock(mutex_);
    ++in_flight_;
  }
  SliceQueue::Item item;
  item.task = [done, task = std::move(task)](Writer& writer) { done->set_value(task(writer)); };
  const auto stop = reader_.get_stop_token();
  if (stop.stop_requested() || !queue_.push(std::move(item), stop)) {
    finished(1);
    return Error(Errc::cancelled, "memd is stopping");
  }
  while (result.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready)
    if (stop.stop_requested()) return Error(Errc::cancelled, "memd is stopping");
  return result.get();
}

bool IngestService::is_idle() const { return hints_.empty() && !reading_ && in_flight_ == 0 && !passes_put_off_; }

bool IngestService::block_until_idle(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_for(lock, deadline, [this] { return is_idle(); });
}

void IngestService::finished(std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  in_flight_ -= items;
  finished_ += items;
  if (!waiting_for_commit_.empty()) wake_reader_.notify_one();
  if (is_idle()) became_idle_.notify_all();
}

}  // namespace memd
