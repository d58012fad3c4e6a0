#include "daemon/serve/instance_lock.hpp"

#include "daemon/version.hpp"
#include "schemas/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace memd {
namespace {

namespace fs = std::filesystem;

Result<void> make_directories(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !path.has_relative_path()) return Error::from_errno(errno, "mkdir", path.native());
  MEMD_TRY(make_directories(path.parent_path()));
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return Error::from_errno(errno, "mkdir", path.native());
}

}  // namespace

Result<UniqueFd> open_state_directory(const fs::path& path) {
  const fs::path directory = path.has_filename() ? path : path.parent_path();  // "dir/" has an empty last name
  MEMD_TRY(make_directories(directory));
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Error::from_errno(errno, "open", directory.native());
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return Error::from_errno(errno, "fstat", directory.native());
  if (st.st_uid != ::geteuid())
    return Error(Errc::permission, fmt::format("{} belongs to user {}, not to you ({}): choose another directory",
                                               directory.native(), st.st_uid, ::geteuid()));
  if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error(Errc::permission, fmt::format("others can write to {} (mode {:03o}): run chmod 700 {}",
                                               directory.native(), st.st_mode & 0777U, directory.native()));
  return fd;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kPidFile = "memd.pid";

// Returns the inherited descriptor if it refers to the same file; the variable may be a leftover.
UniqueFd inherited_lock(const struct stat& wanted) {
  const char* text = std::getenv(kLockFdVariable);
  if (text == nullptr) return {};
  int fd = -1;
  const std::string_view digits(text);
  std::from_chars(digits.data(), digits.data() + digits.size(), fd);
  ::unsetenv(kLockFdVariable);
  struct stat st {};
  if (fd < 3 || ::fstat(fd, &st) != 0 || st.st_dev != wanted.st_dev || st.st_ino != wanted.st_ino) return {};
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return UniqueFd(fd);
}

void read_holder(int fd, InstanceLock::Attempt& out) {
  std::array<char, 512> buffer{};
  const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), 0);
  if (n <= 0) return;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(n));
  std::from_chars(text.data(), text.data() + text.size(), out.holder);
  const auto first = text.find('\n');
  if (first == std::string_view::npos) return;
  const auto second = text.find('\n', first + 1);
  if (second == std::string_view::npos) return;
  out.socket = text.substr(first + 1, second - first - 1);
  const auto third = text.find('\n', second + 1);
  if (third == std::string_view::npos) return;
  out.version = text.substr(second + 1, third - second - 1);
  const auto fourth = text.find('\n', third + 1);
  if (fourth != std::string_view::npos) out.command = text.substr(third + 1, fourth - third - 1);
}

// Tries to lock without waiting. Returns 0 or an errno. is_held() keeps others from the lock for microseconds, so a
// refusal is believed when it lasts.
int lock_now(int fd) {
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    int rc = 0;
    do {
      rc = ::flock(fd, LOCK_EX | LOCK_NB);
    } while (rc != 0 && errno == EINTR);
    if (rc == 0) return 0;
    if (errno != EWOULDBLOCK || tries == kTries) return errno;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

bool is_read_only(const fs::path& data_dir) {
  for (const fs::path& path : {data_dir / kPidFile, data_dir}) {
    if (::access(path.c_str(), W_OK) == 0) return false;
    if (errno == EROFS || errno == EACCES) return true;
  }
  return false;
}

Result<InstanceLock::Attempt> InstanceLock::attempt(const fs::path& data_dir) {
  const fs::path file = data_dir / kPidFile;
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Error::from_errno(errno, "open", file.native());
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return Error::from_errno(errno, "fstat", file.native());
  if (UniqueFd inherited = inherited_lock(st)) fd = std::move(inherited);

  Attempt out;
  const int refused = lock_now(fd.get());
  if (refused == 0) {
    if (::ftruncate(fd.get(), 0) != 0)
      return Error::from_errno(errno, "ftruncate", file.native());  // the last holder's
    out.lock = InstanceLock(std::move(fd), file);
  } else if (refused == EWOULDBLOCK) {
    read_holder(fd.get(), out);
  } else {
    return Error::from_errno(refused, "flock", file.native());
  }
  return out;
}

InstanceLock::Attempt InstanceLock::look(const fs::path& data_dir) {
  Attempt out;
  const UniqueFd fd(::open((data_dir / kPidFile).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd) read_holder(fd.get(), out);
  return out;
}

bool InstanceLock::is_held(const fs::path& data_dir) {
  const UniqueFd fd(::open((data_dir / kPidFile).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::string InstanceLock::Attempt::who() const {
  const std::string name = command.empty() ? "another memd" : "`" + command + "`";
  return holder > 0 ? fmt::format("{} (process {})", name, holder) : name;
}

Error InstanceLock::Attempt::busy() const {
  return Error(Errc::store_busy, who() + " holds the store: " +
                                     (ends_by_itself() ? "wait until it has ended, or end it with `memd stop --force`"
                                                       : "end it with `memd stop`"));
}

Result<void> InstanceLock::publish(const fs::path& socket, std::string_view command) const {
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n", ::getpid(), socket.native(), version(), command);
  if (::ftruncate(fd_.get(), 0) != 0) return Error::from_errno(errno, "ftruncate", file_.native());
  if (::pwrite(fd_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return Error::from_errno(errno, "write", file_.native());
  return {};
}

}  // namespace memd
