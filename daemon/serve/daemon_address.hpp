#pragma once

#include "daemon/serve/daemon_client.hpp"
#include "daemon/serve/settings.hpp"
#include "daemon/serve/unique_fd.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd {

// Where the daemon of these settings listens. `chosen` is the argument of --socket.
Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen = {});

// The same, with what to start when nobody answers there.
Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen = {});

// A connection to the daemon that runs for these settings, and the socket it listens on: the usual one, else the one
// that memd.pid names, if who listens there is the process it names. Nothing when there is none: this starts none.
struct DaemonConnection {
  UniqueFd fd;
  std::filesystem::path socket;
};
Result<std::optional<DaemonConnection>> connect_running(const Settings& settings);

}  // namespace memd
