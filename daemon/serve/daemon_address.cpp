#include "daemon/serve/daemon_address.hpp"

#include "daemon/host/settings.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/files/own_executable.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

namespace memd {
namespace {

namespace fs = std::filesystem;

bool is_our_directory(const fs::path& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == ::geteuid();
}

std::optional<fs::path> runtime_directory(const SocketPathInputs& in) {
  if (in.xdg_runtime_dir) {
    const fs::path runtime = *in.xdg_runtime_dir;
    if (runtime.is_absolute() && is_our_directory(runtime)) return runtime;
  }
  const fs::path runtime = in.run_user_root / std::to_string(::geteuid());
  if (is_our_directory(runtime)) return runtime;
  return std::nullopt;
}

fs::path natural_path(const SocketPathInputs& in) {
  if (in.chosen) return *in.chosen;
  if (!in.data_dir_is_default) return in.data_dir / "memd.sock";
  if (const auto runtime = runtime_directory(in)) return *runtime / "memd" / "memd.sock";
  return in.data_dir / "memd.sock";
}

// Returns a path below the runtime directory, with a name unique to the data directory.
std::optional<fs::path> short_path(const SocketPathInputs& in, const fs::path& natural) {
  const auto runtime = runtime_directory(in);
  if (in.chosen || !runtime) return std::nullopt;
  return *runtime / "memd" / fmt::format("{:016x}.sock", hash64(natural.native()));
}

}  // namespace

Result<void> check_socket_path_length(const fs::path& path) {
  constexpr std::size_t limit = sizeof(sockaddr_un::sun_path);  // with the final zero: 108 on Linux, 104 on macOS
  const std::size_t length = path.native().size();
  if (length < limit) return {};
  return Error(Errc::invalid_argument,
               fmt::format("the socket path {} has {} bytes, a socket takes at most {}: choose a shorter --socket or "
                           "--data-dir",
                           path.native(), length, limit - 1));
}

Result<fs::path> find_socket_path(const SocketPathInputs& inputs) {
  std::error_code ec;
  const fs::path path = fs::absolute(natural_path(inputs), ec);
  if (ec) return Error(Errc::io, "cannot tell the current directory: " + ec.message());
  const auto fits = check_socket_path_length(path);
  if (fits) return path;
  const auto instead = short_path(inputs, path);
  if (!instead) return fits.error();
  MEMD_TRY(check_socket_path_length(*instead));
  return *instead;
}

Result<std::filesystem::path> socket_of(const Settings& settings, const std::optional<std::string>& chosen) {
  SocketPathInputs inputs;
  if (chosen && !chosen->empty()) inputs.chosen = std::filesystem::absolute(*chosen);
  inputs.data_dir = settings.layout.data_dir();
  inputs.data_dir_is_default = settings.default_data_dir;
  if (!settings.runtime_dir.empty()) inputs.xdg_runtime_dir = settings.runtime_dir;
  return find_socket_path(inputs);
}

std::filesystem::path grpc_socket_path(const Settings& settings, const std::filesystem::path& main, bool adopted) {
  const std::string stem = main.stem().string();
  const std::string name = stem == "memd" ? "admin.sock" : stem + "-admin.sock";
  return (adopted ? settings.layout.data_dir() : main.parent_path()) / name;
}

Result<DaemonAddress> daemon_address(const Settings& settings, const std::optional<std::string>& chosen) {
  MEMD_TRY_ASSIGN(const auto socket, socket_of(settings, chosen));
  DaemonAddress address{settings.layout.data_dir(), socket, files::own_executable(), {"--socket"}};
  if (chosen && !chosen->empty()) address.arguments.push_back(socket.string());
  address.arguments.insert(address.arguments.end(), settings.forward.begin(), settings.forward.end());
  return address;
}

Result<std::optional<DaemonConnection>> connect_running(const Settings& settings) {
  MEMD_TRY_ASSIGN(const auto usual, socket_of(settings));
  if (auto fd = transport::connect_unix(usual.native())) {
    MEMD_TRY(transport::require_same_user(fd->get()));
    return std::optional(DaemonConnection{std::move(*fd), usual});
  }
  // The file may be stale, and another process may listen on that path now.
  const auto said = InstanceLock::look(settings.layout.data_dir());
  if (said.socket.empty() || said.socket == usual) return std::optional<DaemonConnection>();
  auto fd = transport::connect_unix(said.socket.native());
  if (!fd) return std::optional<DaemonConnection>();
  const auto peer = transport::socket_peer(fd->get());
  if (!peer || peer->user != ::geteuid() || peer->process != said.holder) return std::optional<DaemonConnection>();
  return std::optional(DaemonConnection{std::move(*fd), said.socket});
}

}  // namespace memd
