#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd {

struct DaemonAddress {
  std::filesystem::path data_dir;
  std::filesystem::path socket;
  // What to start when nobody answers: the program and its arguments ("--socket", "--data-dir", …). Empty program:
  // never start anything.
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

// Where this program's executable is; `argv0` is the fallback.
std::filesystem::path own_executable(const char* argv0);

// Connects to the daemon, one attempt at a time: the caller waits between attempts in its own way. One thread.
class DaemonDial {
 public:
  virtual ~DaemonDial() = default;
  // Starts a series of attempts, with a fresh deadline.
  virtual void begin() = 0;
  // A connected socket; nothing yet, wait next_wait() and try again; or an error, which ends the series.
  virtual Result<std::optional<UniqueFd>> attempt() = 0;
  virtual std::chrono::milliseconds next_wait() = 0;
};

// Connects to the daemon of a data directory, and starts it when there is none. A daemon of an older memd is asked to
// end and replaced; a newer one serves, and where a newer memd is known to be installed, that one is started. When many
// clients find the daemon missing at once, the one that gets the instance lock starts it and hands the lock to it. A
// daemon that dies while starting is an error that ends with the last lines of its log. The daemon runs in a session of
// its own, in /, with stdin from /dev/null and its output in memd.log (0600) of the data directory. One thread.
class DaemonClient final : public DaemonDial {
 public:
  explicit DaemonClient(DaemonAddress address, std::chrono::milliseconds deadline = std::chrono::seconds(10));

  void begin() override;
  Result<std::optional<UniqueFd>> attempt() override;
  std::chrono::milliseconds next_wait() override;

  // begin, then attempts until there is an answer. Blocks.
  Result<UniqueFd> connect();

 private:
  Result<UniqueFd> connect_now(const std::filesystem::path& socket) const;
  // Whether a daemon of an older memd has been asked to end and is about to.
  Result<bool> older_makes_way();
  Result<void> spawn(const InstanceLock& lock);
  std::string log_tail() const;

  const DaemonAddress address_;
  const std::chrono::milliseconds deadline_;
  std::chrono::steady_clock::time_point give_up_at_{};
  std::chrono::milliseconds wait_{0};
  bool spawned_ = false;
  pid_t asked_ = 0;  // the older daemon that was asked to end
  std::chrono::steady_clock::time_point asked_until_{};
  std::uintmax_t log_start_ = 0;  // where the log of the daemon we started begins
};

}  // namespace memd
