#include "daemon/ingest/ingest_service.hpp"

#include "daemon/ingest/commit_loop.hpp"
#include "daemon/ingest/reading_loop.hpp"
#include "daemon/log.hpp"
#include "daemon/this_thread.hpp"
#include "schemas/base/error.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace memd {
namespace asio = boost::asio;
namespace {

// Runs the coroutine on a new thread. `name` is shown by top, gdb and perf.
std::jthread run_on_thread(const char* name, asio::io_context& loop, asio::awaitable<void> coroutine) {
  // An exception here is a bug: it ends the process, and the log names it.
  const auto rethrow = [name](const std::exception_ptr& failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      log::error("thread {}: {}", name, e.what());
      throw;
    }
  };
  asio::co_spawn(loop, std::move(coroutine), rethrow);
  return std::jthread([name, &loop] {
    this_thread::set_name(name);
    loop.run();
  });
}

}  // namespace

struct IngestService::Sides {
  Sides(const Discovery& discovery, const Clock& clock, const IngestOptions& options)
      : commits(write_loop, clock, options, progress, work),
        reading(read_loop, discovery, clock, options, progress, work, commits.mail()) {}

  IngestProgress progress;
  InFlightCounter work;
  asio::io_context read_loop{1};
  asio::io_context write_loop{1};
  PlacedFile store;
  CommitLoop commits;
  ReadingLoop reading;
  std::jthread reader;
  std::jthread writer;
};

IngestService::IngestService(const Discovery& discovery, const Clock& clock, IngestOptions options)
    : discovery_(discovery),
      clock_(clock),
      options_(std::move(options)),
      sides_(std::make_unique<Sides>(discovery_, clock_, options_)) {}

IngestService::~IngestService() {
  stop();
  join();
}

Result<void> IngestService::start(std::unique_ptr<Writer> writer) {
  MEMD_TRY(writer->delete_expired_diagnostics());
  for (const Adapter* adapter : discovery_.unsupported()) {
    const AdapterDescription& d = adapter->describe();
    MEMD_TRY(writer->disable_capture(d.platform, "its adapter speaks contract " + d.contract_version + ", this memd " +
                                                     std::string(kContractVersion)));
  }
  MEMD_TRY(writer->commit());
  MEMD_TRY_ASSIGN(auto sources, writer->sources());
  Sides& s = *sides_;
  s.store = PlacedFile(writer->file());
  s.reading.open(writer->file(), std::move(sources), writer->withheld());
  s.commits.open(std::move(writer), s.reading.mail(), on_commit_);
  // The writer starts first: a writer without a reader can be ended, but a reader without a writer would wait for it.
  try {
    s.writer = run_on_thread("memd-write", s.write_loop, s.commits.run());
    s.reader = run_on_thread("memd-read", s.read_loop, s.reading.run());
  } catch (const std::system_error& e) {
    s.commits.mail().close();
    join();
    return Error(Errc::exhausted, std::string("the system gives memd no thread: ") + e.what());
  }
  return {};
}

void IngestService::scan() {
  // Clears `idle` at once instead of when the reader wakes. Sending under the same lock keeps the reader from setting
  // it in between.
  sides_->progress.update([this](IngestSnapshot& s) {
    if (sides_->reading.mail().send(RescanAll{})) s.idle = false;
  });
}

void IngestService::was_asked() const {
  const auto now = options_.steady_now();
  auto last = asked_.load(std::memory_order_relaxed);
  if (last != last.max() && now - last < options_.look_at_all_every) return;
  if (asked_.compare_exchange_strong(last, now)) sides_->reading.mail().send(RetryIsDue{});
}

void IngestService::hint(const std::filesystem::path& path) { sides_->reading.mail().send(PathChanged{path.string()}); }

void IngestService::hint(SourceCandidate source, const std::filesystem::path& file) {
  sides_->reading.mail().send(SourceChanged{std::move(source), file.string()});
}

void IngestService::take(SourceCandidate file) { sides_->reading.mail().send(AddSource{std::move(file)}); }

void IngestService::stop() {
  sides_->commits.stop();
  sides_->reading.stop();
}

// The reader ends first and closes the writer's mailbox, which ends the writer.
void IngestService::join() {
  if (sides_->reader.joinable()) sides_->reader.join();
  if (sides_->writer.joinable()) sides_->writer.join();
}

Result<void> IngestService::perform(std::function<Result<void>(Writer&)> task) {
  WriterTask writer_task{std::move(task), {}};
  auto done = writer_task.done.get_future();
  if (!sides_->commits.mail().send(std::move(writer_task))) return Error(Errc::cancelled, "memd is stopping");
  return done.get();
}

bool IngestService::block_until_idle(std::chrono::milliseconds deadline) {
  return sides_->work.block_until_none(deadline);
}

const IngestProgress& IngestService::progress() const { return sides_->progress; }

std::string IngestService::trouble() const {
  const auto placed = sides_->store.check();
  return placed ? sides_->progress.trouble() : placed.error().message();
}

}  // namespace memd
