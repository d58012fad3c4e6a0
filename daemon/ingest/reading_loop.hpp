#pragma once

#include "daemon/ingest/ingest_messages.hpp"
#include "daemon/ingest/known_sources.hpp"
#include "daemon/ingest/mailbox.hpp"
#include "daemon/ingest/source_reader.hpp"

#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace memd {

// The reading side of ingest: one coroutine turns hints into dirty sources, and one coroutine for each dirty source
// tails it, a few at once. Each slice needs a place on the way to the writer, which bounds memory. A source with more
// to read yields to waiting sources. Everything runs on the one thread that runs `loop`; mail() and stop() are
// thread-safe. References must outlive it.
class ReadingLoop {
 public:
  ReadingLoop(boost::asio::io_context& loop, const Discovery& discovery, const Clock& clock,
              const IngestOptions& options, IngestProgress& progress, InFlightCounter& work, Mailbox<ToWriter>& writer);

  // Call before run().
  void open(const std::filesystem::path& database, std::vector<Source> sources,
            std::shared_ptr<const Withheld> withheld);
  // Runs until stop(), then closes the writer's mailbox.
  boost::asio::awaitable<void> run();

  Mailbox<ToReader>& mail() { return mail_; }
  void stop();  // does not wait

 private:
  void on(RescanAll&) { look_at_everything_ = true; }
  void on(PathChanged& message) { hinted_.insert(std::move(message.path)); }
  void on(SourceChanged& message) { hinted_sources_.insert_or_assign(message.file, std::move(message.source)); }
  void on(AddSource& message) { taken_.push_back(std::move(message.file)); }
  void on(RetryIsDue&) {}
  void on(SliceWritten& message);
  void on(MessagesFinished& message) { reader_.messages_finished(message.items); }
  void on(TrimMemory&);
  void on(Reload& message);

  void trim();
  void go_on();
  void look_at_silent_places(SilentPlaces::Time now);
  void look_again(const std::error_code& unlisted);  // at everything, a little later
  void start_tails();
  void settle();
  void wake_at_next_look();
  boost::asio::awaitable<void> tail(std::string path, std::uint64_t epoch);
  bool read_slice(KnownSource& known);
  boost::asio::awaitable<bool> acquire_place();
  void release_place();
  void end_tail(const std::string& path, std::uint64_t epoch);

  const Clock& clock_;
  const IngestOptions& options_;
  IngestProgress& progress_;
  InFlightCounter& work_;
  Mailbox<ToWriter>& writer_;
  Mailbox<ToReader> mail_;
  KnownSources sources_;
  SourceReader reader_;
  std::atomic<bool> stopping_{false};

  // Requests of the messages received in this turn.
  bool look_at_everything_ = false;
  std::optional<SilentPlaces::Time> looked_at_everything_;  // last
  std::set<std::string> hinted_;
  std::map<std::string, SourceCandidate> hinted_sources_;  // by the file that changed
  std::vector<SourceCandidate> taken_;

  CoroutineGroup tails_;
  std::size_t tailing_ = 0;                                                     // tails that have not ended
  boost::asio::experimental::channel<void(boost::system::error_code)> places_;  // free places on the way to the writer
  boost::asio::steady_timer next_look_;
  std::uint64_t epoch_ = 1;
  std::size_t looks_since_trim_ = 0;
  bool unflushed_ = false;  // no NoMoreSlices was sent since the last slice
  bool has_work_ = true;    // counts as in flight
};

}  // namespace memd
