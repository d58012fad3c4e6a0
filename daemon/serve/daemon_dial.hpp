#pragma once

#include "daemon/serve/unique_fd.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <optional>

namespace memd {

// Getting through to the daemon, one attempt at a time, so that a caller may wait in its own way.
class DaemonDial {
 public:
  virtual ~DaemonDial() = default;
  // Starts a series of attempts, with a fresh deadline.
  virtual void begin() = 0;
  // A connected socket; nothing yet, wait next_wait() and try again; or an error, which ends the series.
  virtual Result<std::optional<UniqueFd>> attempt() = 0;
  virtual std::chrono::milliseconds next_wait() = 0;
};

}  // namespace memd
