#pragma once

#include "daemon/background_thread.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <string>

namespace memd {

// Why the last step of a background thread failed, and when it is tried again. Its owner guards it.
struct StepTrouble {
  static constexpr std::chrono::seconds kRetry{30};

  std::string reason;  // empty: it succeeded
  bool store_busy = false;
  TimeMs retry_at = 0;

  // Notes the outcome of a step that ends at `now` and `steady_now`. Returns when the next round begins: without a time
  // after a success. If the store is locked, hints received until now do nothing, because each try costs SQLite up to
  // ten seconds.
  BackgroundThread::Next note(const Result<bool>& step, TimeMs now, BackgroundThread::Time steady_now);
};

}  // namespace memd
