#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace memd {

// A thread that works in rounds. It sleeps until a hint, or until the time that the last round named. The first round
// begins at once, because an earlier process may have left work. Members are thread-safe; start() is called once.
class BackgroundThread {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // What hints do before the next round.
  enum class Hints {
    wake,            // each begins it, also one received during the last round
    forget_earlier,  // likewise, but those received during the last round do nothing
    ignore,          // none begins it before its time
  };
  struct Next {
    std::optional<Time> at;  // when the next round begins without a hint; nullopt: never
    Hints hints = Hints::wake;
  };
  // Does all the work that is possible now. It must end soon after a stop request.
  using Round = std::function<Next(const std::stop_token&)>;

  // `name` has at most 15 characters; top, gdb and perf show it.
  BackgroundThread(std::string name, Round round) : name_(std::move(name)), round_(std::move(round)) {}
  ~BackgroundThread();  // stops and waits

  void start(bool at_lowest_priority);
  void hint();
  void stop();  // does not wait
  void join();
  bool is_working() const;
  // Returns true when the thread sleeps and no hint wakes it, false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline);

 private:
  void run(const std::stop_token& stop);
  bool wait_for_round(const Next& next, const std::stop_token& stop);

  const std::string name_;
  const Round round_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::condition_variable_any became_idle_;
  bool hinted_ = true;
  bool working_ = false;
  bool idle_ = false;
  std::jthread thread_;
};

}  // namespace memd
