#include "daemon/service/daemon_address.hpp"

#include "daemon/doorstep/socket_path.hpp"

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

}  // namespace memd
