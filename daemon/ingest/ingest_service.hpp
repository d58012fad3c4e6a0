#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/dirty_ring.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/disk_view.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "daemon/ingest/pass_schedule.hpp"
#include "daemon/ingest/retry_schedule.hpp"
#include "daemon/ingest/slice_queue.hpp"
#include "daemon/ingest/snapshot_pass.hpp"
#include "daemon/ingest/source_place.hpp"
#include "daemon/ingest/tailer.hpp"
#include "schemas/time.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/read/retention_plan.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace memd {

struct IngestOptions {
  TailerLimits tailer;
  std::uint64_t commit_bytes = 128 << 20;             // of sources, while more is coming
  std::chrono::milliseconds commit_interval{250};     // at most, while more is coming
  std::chrono::milliseconds retry_after_error{1000};  // doubles up to 30 s
  BackOff back_off;                                   // of sources that cannot be read
  LookAtPath look_at_path = memd::look_at_path;
  RetentionPolicy retention;  // looked after once a day
  // Of sources that are changed in place.
  SnapshotLimits snapshot;
  PassSchedule::Pause pass_pause;            // between the end of a pass and the next
  std::chrono::milliseconds busy_retry{20};  // doubles up to a second
  std::function<std::chrono::steady_clock::time_point()> steady_now = std::chrono::steady_clock::now;
};

// Reads the agents' files into the store, on two threads: one finds, reads and decodes, one writes. Anything told to
// hint() is a hint and no more: files are looked at, and what they hold decides.
// Public members are thread-safe. `discovery` and `clock` must outlive the service.
class IngestService {
 public:
  IngestService(const Discovery& discovery, const Clock& clock, IngestOptions options = {});
  ~IngestService();  // stops and waits

  // Takes the writer and starts the threads.
  Result<void> start(std::unique_ptr<Writer> writer);

  void scan();                                   // look at everything
  void hint(const std::filesystem::path& path);  // something changed at or below this path
  // Takes in a file that need not stand under a root, now and not again. One that does is read as what it is there.
  void take(SourceCandidate file);
  void stop();  // does not wait; what is read is still committed
  void join();

  // True when everything hinted so far is committed, false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline);

  // Runs on the writing thread, after a commit, and waits for it. Not from one of the service's threads.
  Result<void> perform(std::function<Result<void>(Writer&)> task);

  const IngestProgress& progress() const { return progress_; }

  // Called on the writing thread after each commit that changed something. Set before start().
  void on_commit(std::function<void()> callback) { on_commit_ = std::move(callback); }

 private:
  struct Hints {
    bool scan = false;
    std::vector<std::string> paths;
    std::vector<SourceCandidate> files;  // handed over by take()
    bool empty() const { return !scan && paths.empty() && files.empty(); }
  };
  struct Known {
    Source source;
    const Adapter* adapter = nullptr;
    // Of a source that is changed in place.
    std::unique_ptr<SnapshotPass> pass;  // null between passes
    std::uint64_t slices_of_pass = 0;
    std::chrono::nanoseconds pass_took{0};
    std::uint64_t last_push = 0;  // number of the queue item with its last slice
  };

  void read_loop(const std::stop_token& stop);
  void write_loop(const std::stop_token& stop);
  void use_pause(const std::stop_token& stop);
  bool wait_for_work(const std::stop_token& stop);
  void take_hints();
  void take_path_hint(const std::string& path);
  void add(const std::vector<SourceCandidate>& candidates);
  void add_known_below(const std::string& directory);
  void add_known_named(const Discovery::NamedSource& whole);
  bool read_one(const std::string& path, const std::stop_token& stop);
  Result<Tailer::Outcome> look_at(Known& known);
  Result<Tailer::Outcome> try_to_look_at(Known& known);
  Result<Tailer::Outcome> look_in_place(Known& known, SnapshotReader& reader);
  bool may_begin_pass(const Known& known);
  void add_due_passes();
  bool pass_is_due() const;
  bool push(SourceSlice slice, std::uint64_t bytes, const std::stop_token& stop);
  bool must_wait(const Known& known) const;
  void lost(Known& known, const Error& error, const std::stop_token& stop);
  bool has_witness(const std::filesystem::path& directory) const;
  void add_due_retries();
  std::optional<std::chrono::nanoseconds> time_to_next_look() const;
  bool flush(const std::stop_token& stop);
  void pack_raw(SourceSlice& slice);

  Result<void> write(SliceQueue::Item& item);
  Result<void> commit_now();
  Result<void> reload_sources();
  Result<void> expire_diagnostics();
  void look_after_store();
  bool commit_is_due(const SliceQueue::Item& last) const;
  void recover(const Error& error, const std::stop_token& stop);
  void finished(std::uint64_t items);
  bool is_idle() const;  // mutex_ held

  const Discovery& discovery_;
  const Clock& clock_;
  const IngestOptions options_;
  IngestProgress progress_;
  std::function<void()> on_commit_;
  SliceQueue queue_{4};

  // Reading thread only.
  Tailer tailer_;
  DirtyRing ring_;
  std::map<std::string, Known> known_;
  RetrySchedule retries_;
  std::uint64_t known_epoch_ = 0;
  bool unflushed_ = false;
  const DiskView files_;
  PassSchedule passes_;
  std::unique_ptr<Reader> store_;

  // Writing thread only (after start()).
  std::unique_ptr<Writer> writer_;
  raw::FrameCodec codec_;
  std::vector<Source> uncommitted_;
  std::uint64_t uncommitted_items_ = 0;
  std::uint64_t uncommitted_bytes_ = 0;
  std::uint64_t written_since_trim_ = 0;
  std::chrono::steady_clock::time_point first_uncommitted_;
  std::chrono::milliseconds retry_delay_{0};
  TimeMs last_expiry_ = 0;
  TimeMs last_upkeep_ = 0;
  TimeMs last_retention_ = 0;
  bool sources_set_back_ = false;  // by something not committed yet

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable_any wake_reader_;
  std::condition_variable_any became_idle_;
  Hints hints_;
  std::uint64_t in_flight_ = 0;                              // queue items not yet committed or dropped
  std::uint64_t epoch_ = 0;                                  // grows when the reader's knowledge became wrong
  std::vector<Source> fresh_sources_;                        // what the store says, for the new epoch
  bool reading_ = true;                                      // the reader has something in hand
  std::uint64_t finished_ = 0;                               // queue items committed or dropped, in their order
  bool passes_put_off_ = false;                              // while the reader waits
  std::map<std::string, std::uint64_t> waiting_for_commit_;  // sources, and the queue item they wait for

  std::jthread reader_;
  std::jthread writer_thread_;
};

}  // namespace memd
