#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/ingest_options.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/write/writer.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

namespace memd {

// Reads the agents' files into the store on two threads of its own: one runs the ReadingLoop, one the CommitLoop.
// hint() only triggers a check of the files; their content decides what is read. Public members are thread-safe. Owns
// the writer. `discovery` and `clock` must outlive it.
class IngestService {
 public:
  IngestService(const Discovery& discovery, const Clock& clock, IngestOptions options = {});
  ~IngestService();  // stops and waits

  // Takes the writer and starts the threads.
  Result<void> start(std::unique_ptr<Writer> writer);

  void scan();                                   // look at everything
  void was_asked() const;                        // look at everything if that was long ago; cheap
  void hint(const std::filesystem::path& path);  // something changed at or below this path
  // This file changed; it is the source or a part of it.
  void hint(SourceCandidate source, const std::filesystem::path& file);
  // Reads a file once; it need not lie under a root. One that does is read as the source it is there.
  void take(SourceCandidate file);
  void stop();  // does not wait; what is read is still committed
  void join();

  // True when everything hinted so far is committed, false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline);

  // Runs the task on the writing thread, after a commit, and waits until it has ended. Errc::cancelled: memd is
  // stopping and the task is never run. Must not be called from one of the service's threads.
  Result<void> perform(std::function<Result<void>(Writer&)> task);

  const IngestProgress& progress() const;
  // The reason why nothing new is stored: the store refuses writes, or its file was removed. Empty: no problem. Cheap.
  std::string trouble() const;

  // Called on the writing thread after each commit that changed something. Set before start().
  void on_commit(std::function<void()> callback) { on_commit_ = std::move(callback); }

 private:
  struct Sides;
  const Discovery& discovery_;
  const Clock& clock_;
  const IngestOptions options_;
  mutable std::atomic<std::chrono::steady_clock::time_point> asked_{std::chrono::steady_clock::time_point::max()};
  std::function<void()> on_commit_;
  const std::unique_ptr<Sides> sides_;
};

}  // namespace memd
