#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd {

// What decides where the daemon's socket is. The daemon and its clients have to fill it in alike.
struct SocketPathInputs {
  std::optional<std::filesystem::path> chosen;  // memd --socket PATH
  std::filesystem::path data_dir;
  bool data_dir_is_default = true;
  std::optional<std::string> xdg_runtime_dir;         // $XDG_RUNTIME_DIR; clients often scrub it
  std::filesystem::path run_user_root = "/run/user";  // for tests
};

// The chosen one; else, for a data directory that is not the default one, its own memd.sock, so that two data
// directories never share a daemon; else memd/memd.sock in $XDG_RUNTIME_DIR or /run/user/UID, whichever exists and is
// ours; else memd.sock in the data directory. Where the path is too long for a socket and was not chosen, a name of the
// data directory's own below the runtime directory; invalid_argument when there is none, or the chosen one is too long.
Result<std::filesystem::path> find_socket_path(const SocketPathInputs& inputs);

Result<void> check_socket_path_length(const std::filesystem::path& path);

// Where the daemon of these settings listens. `chosen` is the argument of --socket.
Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen = {});

// Where the gRPC door of the daemon on `main` is unless the configuration says so: admin.sock beside memd.sock,
// x-admin.sock beside x.sock. `adopted`: a service manager made that one, and its directory may be closed to us, so it
// is in the data directory.
std::filesystem::path grpc_socket_path(const Settings& settings, const std::filesystem::path& main, bool adopted);

// The address of the daemon of these settings, with what to start when nobody answers there.
Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen = {});

// A connection to the daemon that runs for these settings, and the socket it listens on: the usual one, else the one
// that memd.pid names, if who listens there is the process it names. Nothing when there is none: this starts none.
struct DaemonConnection {
  UniqueFd fd;
  std::filesystem::path socket;
};
Result<std::optional<DaemonConnection>> connect_running(const Settings& settings);

}  // namespace memd
