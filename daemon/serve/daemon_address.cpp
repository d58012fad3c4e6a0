#include "daemon/serve/daemon_address.hpp"

#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/socket_path.hpp"
#include "protocol/transport/unix_socket.hpp"

#include <unistd.h>

#include <utility>

namespace memd {

Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen) {
  SocketPathInputs inputs;
  if (chosen && !chosen->empty()) inputs.chosen = std::filesystem::absolute(*chosen);
  inputs.data_dir = settings.layout.data_dir();
  inputs.data_dir_is_default = settings.default_data_dir;
  if (!settings.runtime_dir.empty()) inputs.xdg_runtime_dir = settings.runtime_dir;
  return find_socket_path(inputs);
}

Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen) {
  MEMD_TRY_ASSIGN(const auto socket, socket_of(settings, chosen));
  DaemonAddress address{settings.layout.data_dir(), socket, own_executable("memd"), {"--socket"}};
  if (chosen && !chosen->empty()) address.arguments.push_back(socket.string());
  address.arguments.insert(address.arguments.end(), settings.forward.begin(), settings.forward.end());
  return address;
}

Result<std::optional<DaemonConnection>> connect_running(const Settings& settings) {
  MEMD_TRY_ASSIGN(const auto usual, socket_of(settings));
  if (const auto fd = transport::connect_unix_fd(usual.native())) {
    UniqueFd owned(*fd);
    MEMD_TRY(transport::require_same_user(owned.get()));
    return std::optional(DaemonConnection{std::move(owned), usual});
  }
  // The file may be left from long ago, and somebody else listen there today.
  const auto said = InstanceLock::look(settings.layout.data_dir());
  if (said.socket.empty() || said.socket == usual) return std::optional<DaemonConnection>();
  const auto fd = transport::connect_unix_fd(said.socket.native());
  if (!fd) return std::optional<DaemonConnection>();
  UniqueFd owned(*fd);
  const auto peer = transport::socket_peer(owned.get());
  if (!peer || peer->user != ::geteuid() || peer->process != said.holder) return std::optional<DaemonConnection>();
  return std::optional(DaemonConnection{std::move(owned), said.socket});
}

}  // namespace memd
