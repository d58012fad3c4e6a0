#pragma once

#include "daemon/ingest/ingest_messages.hpp"
#include "daemon/ingest/ingest_options.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "daemon/ingest/mailbox.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/db/placed_file.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/write/writer.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace memd {

// The writing side of ingest and the only writer of the store: a coroutine that applies slices, commits them in groups,
// runs writer tasks and maintains the store in between. Slices that the store refuses are read again with growing
// delays until it accepts them. Everything runs on the one thread that runs `loop`; mail() and stop() are thread-safe.
// References must outlive it.
class CommitLoop {
 public:
  CommitLoop(boost::asio::io_context& loop, const Clock& clock, const IngestOptions& options, IngestProgress& progress,
             InFlightCounter& work);

  // Call before run(). `reader` is notified of what is written.
  void open(std::unique_ptr<Writer> writer, Mailbox<ToReader>& reader, std::function<void()> on_commit);
  // Runs until the mailbox is closed and empty, then commits the rest.
  boost::asio::awaitable<void> run();

  Mailbox<ToWriter>& mail() { return mail_; }
  void stop();  // refuses writer tasks not begun and ends the back-off; slices are still written

 private:
  boost::asio::awaitable<void> on(SliceRead& message);
  boost::asio::awaitable<void> on(NoMoreSlices& message);
  boost::asio::awaitable<void> on(WriterTask& message);

  Result<void> write(SliceRead& message);
  void pack_raw(SourceSlice& slice);
  bool commit_is_due() const;
  Result<void> commit();
  Result<void> expire_diagnostics();
  void look_after_store();
  void use_pause();
  void release_memory();
  Result<void> reload_sources();
  boost::asio::awaitable<void> recover(const Error& error);
  void finished(std::uint64_t messages);

  boost::asio::io_context& loop_;
  const Clock& clock_;
  const IngestOptions& options_;
  IngestProgress& progress_;
  InFlightCounter& work_;
  Mailbox<ToWriter> mail_;
  Mailbox<ToReader>* reader_ = nullptr;
  std::function<void()> on_commit_;
  std::unique_ptr<Writer> writer_;
  raw::FrameCodec codec_;
  std::atomic<bool> stopping_{false};
  boost::asio::steady_timer retry_;
  std::chrono::milliseconds retry_delay_{0};
  std::uint64_t epoch_ = 1;

  std::vector<Source> uncommitted_;
  std::vector<DirectorySight> sights_;  // to be stored after the next commit
  std::uint64_t uncommitted_letters_ = 0;
  std::uint64_t uncommitted_bytes_ = 0;
  std::chrono::steady_clock::time_point first_uncommitted_;
  bool sources_set_back_ = false;  // by a slice not committed yet
  std::uint64_t written_since_release_ = 0;
  TimeMs last_expiry_ = 0;
  TimeMs last_upkeep_ = 0;
  PlacedFile store_;
  std::string last_logged_error_;  // the refusal that was logged last
  TimeMs last_retention_ = 0;
  TimeMs opened_at_ = 0;
};

}  // namespace memd
