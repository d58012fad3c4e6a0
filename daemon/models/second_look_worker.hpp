#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/models/machine_state.hpp"
#include "daemon/models/second_look_maker.hpp"
#include "daemon/models/step_trouble.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace memd {

struct SecondLookOptions {
  bool in_background = true;                // of a service: the thread runs at the lowest CPU priority
  std::chrono::milliseconds delay{60'000};  // after the start, before it begins; a service without any vectors has none
  ExchangeDebouncer::Limits settled_after{10'000, 120'000};
  std::filesystem::path power_supplies = machine::kPowerSupplies;
  std::function<bool()> is_busy = machine::is_busy;
  std::function<BackgroundThread::Time()> steady_now = std::chrono::steady_clock::now;
};

// The state of the worker.
struct SecondLookProgress {
  bool working = false;         // also between two batches
  std::uint64_t exchanges = 0;  // taken from the queue by this process
  double busy_seconds = 0;      // time spent on that
  std::string paused;           // why exchanges that could be taken wait: battery, load, trouble; empty: none do
  bool store_busy = false;      // the reason is a locked store
};

// Makes the vectors of the second look on a thread of its own, newest exchange first, with at most a quarter of a core.
// Waits while sources are read, and while the machine runs on battery or is busy. Sleeps without a timer when
// nothing waits. The queue survives restarts, so nothing is made twice or left out. Public members are thread-safe.
// Borrows the clock and what the parts refer to.
class SecondLookWorker {
 public:
  SecondLookWorker(SecondLookParts parts, const Clock& clock, SecondLookOptions options = {});
  ~SecondLookWorker();  // stops and waits

  void start() { thread_.start(options_.in_background); }
  void hint() { thread_.hint(); }  // something may have been queued
  void stop() { thread_.stop(); }  // does not wait; abandons the current batch
  void join() { thread_.join(); }

  // Takes the newest `exchanges` at once, without pauses and conditions; 0: none any longer.
  void hurry(std::int64_t exchanges);
  // Returns true when the thread sleeps, false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline) { return thread_.block_until_idle(deadline); }

  SecondLookProgress progress() const;

 private:
  using Next = BackgroundThread::Next;
  using Time = BackgroundThread::Time;

  Next round(const std::stop_token& stop);
  Next sleep(Next next);
  Result<bool> take_batch(bool at_once, const std::stop_token& stop);
  const std::string& obstacle();
  void return_memory();
  bool hurries() const;
  bool has_none() const;

  const SecondLookParts parts_;
  const Clock& clock_;
  const SecondLookOptions options_;

  mutable std::mutex mutex_;     // guards the next three
  std::int64_t hurried_ = 0;     // exchanges to take at once
  SecondLookProgress progress_;  // without the trouble
  StepTrouble trouble_;

  // Used by the thread only.
  std::unique_ptr<SecondLookMaker> maker_;
  bool has_begun_ = false;
  bool is_off_ = false;  // and the store knows
  Time pause_until_;
  Time look_again_{};                  // at the machine
  std::string obstacle_;               // when last looked at
  std::uint64_t taken_at_return_ = 0;  // exchanges

  BackgroundThread thread_;
};

}  // namespace memd
