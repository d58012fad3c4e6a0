#pragma once

#include "store/db/database.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace memd::sqlite {

// During its lifetime, statements on the connection fail with Errc::cancelled after `limit`. Borrows `db` and sets its
// stop token. Connection thread.
class TimeLimit {
 public:
  TimeLimit(Database& db, std::chrono::milliseconds limit)
      : db_(db), timer_([this, limit](const std::stop_token& done) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any never;
          never.wait_for(lock, done, limit, [] { return false; });
          if (!done.stop_requested()) enough_.request_stop();
        }) {
    db_.watch(enough_.get_token());
  }
  ~TimeLimit() { db_.watch({}); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  Database& db_;
  std::stop_source enough_;
  std::jthread timer_;  // last, because its thread uses the other members
};

}  // namespace memd::sqlite
