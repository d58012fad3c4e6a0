#pragma once

#include "daemon/doorstep/daemon_client.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd {

// Where the daemon of these settings listens. `chosen` is the argument of --socket.
Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen = {});

// The same, with what to start when nobody answers there.
Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen = {});

}  // namespace memd
