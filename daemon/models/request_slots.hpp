#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>

namespace memd::llm {

// How many requests may be under way at a time, whoever asks. Thread-safe.
class RequestSlots {
 public:
  explicit RequestSlots(std::size_t slots) : free_(slots) {}

  // Holds a slot while it lives; holds none when `stop` came first.
  class Slot {
   public:
    Slot(RequestSlots& slots, const std::stop_token& stop) : slots_(slots), held_(slots.take(stop)) {}
    ~Slot() {
      if (held_) slots_.give();
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    explicit operator bool() const { return held_; }

   private:
    RequestSlots& slots_;
    const bool held_;
  };

 private:
  bool take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait(lock, stop, [this] { return free_ > 0; })) return false;
    --free_;
    return true;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    ++free_;
    freed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t free_;  // guarded by mutex_
};

}  // namespace memd::llm
