#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace memd {

// Rebuilds the whole store in a daemon that keeps serving. The service has to close the store twice: before the rebuild
// begins, because nobody may write during it, and when it has ended, because another store is read from then on. In
// between, the old store is readable. Thread-safe except where stated; owns a thread. The settings and the clock must
// outlive it.
class StoreRebuild {
 public:
  StoreRebuild(const Settings& settings, const Clock& clock) : settings_(settings), clock_(clock) {}
  ~StoreRebuild() { stop(); }
  StoreRebuild(const StoreRebuild&) = delete;
  StoreRebuild& operator=(const StoreRebuild&) = delete;

  // Orders a rebuild and requests room at once. Errc::store_busy: one is running; Errc::not_found: there is no raw
  // layer.
  Result<void> order(OnLoss on_loss);
  // Returns the status of the running rebuild, else of the last one; nullopt: none was made.
  std::optional<admin::StoreRebuildStatus> status() const;

  // Registers the current service. `make_room` is called on any thread, at most once, when that service has to end and
  // go_on() has to be called. It must not block. Empty: nothing is serving.
  void serve(std::function<void()> make_room);
  // Continues while nobody has the store open: starts the ordered rebuild, or waits for the running one and finishes
  // it. Owner's thread.
  void go_on();
  // True between the two calls of go_on(), while nobody may write.
  bool is_under_way() const;
  // Ends the rebuild for good and waits for it; the store stays as it was. Owner's thread.
  void stop();

 private:
  enum class Phase { idle, ordered, making, ready, over };  // ready: may replace the store; over: will not

  void run(OnLoss on_loss);
  // Call both with mutex_ held.
  void want_room();
  void note(const Result<RebuildReport>& report, double seconds);

  const Settings& settings_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  Phase phase_ = Phase::idle;  // guarded by mutex_, as are the members below
  OnLoss on_loss_ = OnLoss::refuse;
  bool wants_room_ = false;
  bool has_gone_on_ = false;  // go_on() was called in phase ready
  std::function<void()> make_room_;
  std::optional<admin::StoreRebuildStatus> status_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace memd
