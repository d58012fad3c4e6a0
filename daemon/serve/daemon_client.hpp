#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memd {

struct DaemonAddress {
  std::filesystem::path data_dir;
  std::filesystem::path socket;
  // The program to start when nothing answers, and its arguments ("--socket", "--data-dir", …). Empty program: never
  // start anything.
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

// Connects to the daemon, one attempt at a time; the caller decides how to wait between attempts. One thread.
class DaemonDial {
 public:
  virtual ~DaemonDial() = default;
  // Starts a series of attempts, with a fresh deadline.
  virtual void begin() = 0;
  // Returns a connected socket; or nothing, then wait next_wait() and try again; or an error, which ends the series.
  virtual Result<std::optional<UniqueFd>> attempt() = 0;
  virtual std::chrono::milliseconds next_wait() = 0;
};

// Returns a socket on which somebody answers in the place of a daemon while `holder`, a command, holds the store.
using StandInDoor = std::function<Result<UniqueFd>(const InstanceLock::Attempt& holder)>;

// Connects to the daemon of a data directory, and starts one when none runs. A daemon of an older memd is asked to end
// and is replaced. A newer one is used as it is, and if a newer memd is known to be installed, that one is started.
// When many clients find no daemon at once, the one that gets the instance lock starts it and hands it the lock. If the
// daemon dies while starting, the error ends with the last lines of its log. While a command holds the lock, no daemon
// can be started, and the stand-in is taken if there is one. The daemon runs in a session of its own, in /, with stdin
// from /dev/null and its output in memd.log (0600) of the data directory. One thread.
class DaemonClient final : public DaemonDial {
 public:
  explicit DaemonClient(DaemonAddress address, StandInDoor stand_in = {},
                        std::chrono::milliseconds deadline = std::chrono::seconds(10));

  void begin() override;
  Result<std::optional<UniqueFd>> attempt() override;
  std::chrono::milliseconds next_wait() override;

  // Calls begin(), then attempt() until there is a result. Blocks.
  Result<UniqueFd> connect();

 private:
  Result<UniqueFd> connect_now(const std::filesystem::path& socket) const;
  // Whether an older memd's daemon has been asked to end and is expected to.
  Result<bool> older_makes_way();
  Result<void> spawn(const InstanceLock& lock);
  std::string log_tail() const;

  const DaemonAddress address_;
  const StandInDoor stand_in_;
  const std::chrono::milliseconds deadline_;
  std::chrono::steady_clock::time_point give_up_at_{};
  std::chrono::milliseconds wait_{0};
  bool spawned_ = false;
  pid_t asked_ = 0;  // pid of the older daemon that was asked to end
  std::chrono::steady_clock::time_point asked_until_{};
  std::uintmax_t log_start_ = 0;  // log offset at which the daemon we started begins
};

}  // namespace memd
