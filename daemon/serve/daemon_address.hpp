#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd {

// The inputs that determine the socket's path. The daemon and its clients must fill them in identically.
struct SocketPathInputs {
  std::optional<std::filesystem::path> chosen;  // memd --socket PATH
  std::filesystem::path data_dir;
  bool data_dir_is_default = true;
  std::optional<std::string> xdg_runtime_dir;         // $XDG_RUNTIME_DIR; clients often scrub it
  std::filesystem::path run_user_root = "/run/user";  // for tests
};

// Returns the socket's path: the chosen one. Else, for a data directory other than the default, memd.sock inside it, so
// that two data directories never share a daemon. Else memd/memd.sock in $XDG_RUNTIME_DIR or /run/user/UID, whichever
// exists and belongs to this user. Else memd.sock in the data directory. A path too long for a socket is replaced by a
// name unique to the data directory below the runtime directory. Errc::invalid_argument when there is no runtime
// directory for that, or the chosen path is too long.
Result<std::filesystem::path> find_socket_path(const SocketPathInputs& inputs);

Result<void> check_socket_path_length(const std::filesystem::path& path);

// Returns the path that the daemon of these settings listens on. `chosen` is the argument of --socket.
Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen = {});

// Returns the default path of the gRPC socket for the daemon on `main`: admin.sock beside memd.sock, x-admin.sock
// beside x.sock. `adopted`: a service manager made the main socket. Its directory may not be writable then, so the gRPC
// socket is in the data directory.
std::filesystem::path grpc_socket_path(const Settings& settings, const std::filesystem::path& main, bool adopted);

// Returns the address of the daemon of these settings, with the program to start when nothing answers there.
Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen = {});

// A connection to the running daemon of these settings, and the socket it listens on: the usual one, else the one named
// in memd.pid, if the process named there is the one that listens. None if no daemon runs; this never starts one.
struct DaemonConnection {
  UniqueFd fd;
  std::filesystem::path socket;
};
Result<std::optional<DaemonConnection>> connect_running(const Settings& settings);

}  // namespace memd
