#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace memd {

// Makes the whole store anew in a daemon that goes on serving. Who serves has to make room twice: before it begins,
// because nobody may write then, and when it has ended, because the store that is read is another one from then on.
// Between the two the store that was is there for reading. Thread-safe but where it says otherwise; owns a thread. The
// settings and the clock must outlive it.
class StoreRebuild {
 public:
  StoreRebuild(const Settings& settings, const Clock& clock) : settings_(settings), clock_(clock) {}
  ~StoreRebuild() { stop(); }
  StoreRebuild(const StoreRebuild&) = delete;
  StoreRebuild& operator=(const StoreRebuild&) = delete;

  // One is to be made: room is wanted at once. Errc::store_busy: one is being made; Errc::not_found: there is no raw
  // layer.
  Result<void> order(OnLoss on_loss);
  // Of the one that runs, else of the last one; nullopt: none was made.
  std::optional<admin::StoreRebuildStatus> status() const;

  // `make_room` is called, on any thread and not more than once, when who serves has to end and go_on() is to be
  // called. It must not block. Empty: nobody serves.
  void serve(std::function<void()> make_room);
  // Nobody has the store open: begins what was ordered; or ends what was begun, and waits for that. Thread of the
  // owner.
  void go_on();
  // From go_on() to go_on(): nobody may write.
  bool is_under_way() const;
  // Ends it, for good; the store stays as it was. Waits. Thread of the owner.
  void stop();

 private:
  enum class Phase { idle, ordered, making, ready, over };  // ready: to replace the store; over: it will not

  void run(OnLoss on_loss);
  // Both with mutex_ held.
  void want_room();
  void note(const Result<RebuildReport>& report, double seconds);

  const Settings& settings_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  Phase phase_ = Phase::idle;  // guarded by mutex_, as what follows
  OnLoss on_loss_ = OnLoss::refuse;
  bool wants_room_ = false;
  bool has_gone_on_ = false;  // after ready
  std::function<void()> make_room_;
  std::optional<admin::StoreRebuildStatus> status_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace memd
