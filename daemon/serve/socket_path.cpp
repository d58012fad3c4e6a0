#include "daemon/serve/socket_path.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace memd {
namespace {

namespace fs = std::filesystem;

bool is_our_directory(const fs::path& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == ::geteuid();
}

fs::path natural_path(const SocketPathInputs& in) {
  if (in.chosen) return *in.chosen;
  if (!in.data_dir_is_default) return in.data_dir / "memd.sock";
  if (in.xdg_runtime_dir) {
    const fs::path runtime = *in.xdg_runtime_dir;
    if (runtime.is_absolute() && is_our_directory(runtime)) return runtime / "memd" / "memd.sock";
  }
  const fs::path runtime = in.run_user_root / std::to_string(::geteuid());
  if (is_our_directory(runtime)) return runtime / "memd" / "memd.sock";
  return in.data_dir / "memd.sock";
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
  MEMD_TRY(check_socket_path_length(path));
  return path;
}

}  // namespace memd
