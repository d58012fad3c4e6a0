#pragma once

#include "daemon/host/settings.hpp"
#include "schemas/error.hpp"

#include <optional>
#include <string>

// The three ways memd serves. Each returns the exit code when it is over.
namespace memd {

// memd --socket [PATH]: the daemon. An error if one is running already for this data directory.
Result<int> serve_socket(const Settings& settings, const std::optional<std::string>& path);

// memd --stdio: a byte pump to the daemon, which is started when there is none.
Result<int> serve_stdio_pump(const Settings& settings);

// memd --stdio --standalone: everything in this process. Ingests unless another memd does so already.
Result<int> serve_stdio_standalone(const Settings& settings);

}  // namespace memd
