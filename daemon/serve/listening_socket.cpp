#include "daemon/serve/listening_socket.hpp"

#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#ifdef __APPLE__
#include <launch.h>
#endif
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace memd {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstHandedOver = 3;  // SD_LISTEN_FDS_START
constexpr int kBacklog = 128;

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (ec != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "a:memd:b" -> 1
int index_of_ours(const char* names, int count) {
  if (names == nullptr) return 0;
  std::string_view rest(names);
  for (int i = 0; i < count; ++i)
    if (ascii::take_until(rest, ':') == "memd") return i;
  return 0;
}

// Returns the file that a listening Unix stream socket is bound to; nothing when `fd` is something else.
std::optional<fs::path> file_of_listener(int fd) {
  int type = 0;
  int accepting = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return std::nullopt;
  size = sizeof accepting;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepting, &size) != 0 || accepting == 0) return std::nullopt;
  sockaddr_un address{};
  size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sun_family != AF_UNIX)
    return std::nullopt;
  constexpr std::size_t kBeforePath = offsetof(sockaddr_un, sun_path);
  if (size <= kBeforePath || address.sun_path[0] == '\0') return std::nullopt;  // an abstract name has no owner
  return fs::path(std::string(address.sun_path, ::strnlen(address.sun_path, size - kBeforePath)));
}

Result<void> remove_stale(const fs::path& path) {
  struct stat st {};
  if (::lstat(path.c_str(), &st) != 0)
    return errno == ENOENT ? Result<void>() : Error::from_errno(errno, "lstat", path.native());
  if (!S_ISSOCK(st.st_mode))
    return Error(Errc::permission, fmt::format("{} is in the way: it is {}, not a socket", path.native(),
                                               S_ISLNK(st.st_mode) ? "a symbolic link" : "something else"));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Error::from_errno(errno, "unlink", path.native());
  return {};
}

int bind_private(int fd, const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const mode_t before = ::umask(0177);  // the socket is never accessible to others, not even before the chmod
  const int rc = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int err = errno;
  ::umask(before);
  errno = err;
  return rc;
}

}  // namespace

Result<std::optional<ListeningSocket>> ListeningSocket::adopt() {
#ifdef __APPLE__
  // launch(3): the sockets of the key "memd" in Sockets of the property list. Fails in a process not started by
  // launchd.
  int* handed = nullptr;
  std::size_t how_many = 0;
  if (::launch_activate_socket("memd", &handed, &how_many) == 0) {
    const int first = how_many > 0 ? handed[0] : -1;
    for (std::size_t i = 1; i < how_many; ++i)
      ::close(handed[i]);
    std::free(handed);
    if (first >= 0) {
      ::fcntl(first, F_SETFD, FD_CLOEXEC);
      auto path = file_of_listener(first);
      if (!path) return Error(Errc::invalid_argument, "launchd handed over something that is no listening Unix socket");
      return std::optional<ListeningSocket>(ListeningSocket(UniqueFd(first), std::move(*path)));
    }
  }
#endif
  const auto pid = number(std::getenv("LISTEN_PID"));
  const auto count = number(std::getenv("LISTEN_FDS"));
  const int index = index_of_ours(std::getenv("LISTEN_FDNAMES"), count.value_or(0));
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
    ::unsetenv(name);
  if (!pid || *pid != ::getpid() || !count || *count < 1) return std::optional<ListeningSocket>();

  for (int i = 0; i < *count; ++i)
    ::fcntl(kFirstHandedOver + i, F_SETFD, FD_CLOEXEC);
  const int fd = kFirstHandedOver + index;
  auto file = file_of_listener(fd);
  if (!file)
    return Error(
        Errc::invalid_argument,
        fmt::format("descriptor {} handed over by LISTEN_FDS is not a listening Unix stream socket with a file", fd));
  return std::optional<ListeningSocket>(ListeningSocket(UniqueFd(fd), std::move(*file)));
}

Result<ListeningSocket> ListeningSocket::create(const fs::path& path, const InstanceLock&) {
  MEMD_TRY(check_socket_path_length(path));
  MEMD_TRY(open_state_directory(path.parent_path()));
  MEMD_TRY(remove_stale(path));
  UniqueFd fd = transport::unix_socket();
  if (!fd) return Error::from_errno(errno, "socket", {});
  if (bind_private(fd.get(), path) != 0) return Error::from_errno(errno, "bind", path.native());

  ListeningSocket made(std::move(fd), path);
  struct stat st {};
  if (::lstat(path.c_str(), &st) != 0) return Error::from_errno(errno, "lstat", path.native());
  made.removes_ = true;
  made.device_ = st.st_dev;
  made.inode_ = st.st_ino;
  if (!S_ISSOCK(st.st_mode) || st.st_uid != ::geteuid())
    return Error(Errc::permission, path.native() + " was replaced while it was being made");
  if ((st.st_mode & 0777U) != 0600U && ::chmod(path.c_str(), 0600) != 0)
    return Error::from_errno(errno, "chmod", path.native());
  if (::listen(made.fd(), kBacklog) != 0) return Error::from_errno(errno, "listen", path.native());
  return made;
}

Result<int> ListeningSocket::duplicate() const {
  const int fd = ::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return Error::from_errno(errno, "duplicate", path_.native());
  return fd;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::move(other.path_)),
      removes_(std::exchange(other.removes_, false)),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  struct stat st {};
  if (!removes_ || ::lstat(path_.c_str(), &st) != 0) return;
  if (st.st_dev == device_ && st.st_ino == inode_) ::unlink(path_.c_str());  // unless another process has replaced it
}

}  // namespace memd
