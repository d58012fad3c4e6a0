#include "store/files/directory_entry.hpp"
#include "schemas/base/error.hpp"
#include "store/files/system_calls.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

namespace memd::files {
namespace fs = std::filesystem;
namespace {

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr std::size_t kFirstPiece = std::size_t{64} << 10;  // of a file whose size is not known in advance

std::string next_new_name() {
  static std::atomic<unsigned> number{0};
  return std::string(DirectoryEntry::kNewPrefix) + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return failed_call("write", path);
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::string> read_at(int directory, const std::string& name, std::size_t most, const fs::path& path) {
  const UniqueFd fd(::openat(directory, name.c_str(), kReading | O_NOFOLLOW));
  if (!fd) return failed_call("open", path);
  return read_regular(fd.get(), most, path);
}

Error too_large(const fs::path& path, std::size_t most) {
  return Error(Errc::io,
               path.string() + " has more than " + std::to_string(most >> 20) + " MiB, which memd does not read");
}

struct Place {
  int directory;
  const std::string& name;
  const fs::path& path;
};

Result<void> rename_to_free_name(const Place& from, const Place& to) {
  if (rename_to_free(from.directory, from.name.c_str(), to.directory, to.name.c_str()) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return failed_call("rename", errno == ENOENT ? from.path : to.path);
  if (::linkat(from.directory, from.name.c_str(), to.directory, to.name.c_str(), 0) != 0)
    return failed_call("link", errno == ENOENT ? from.path : to.path);
  if (::unlinkat(from.directory, from.name.c_str(), 0) != 0) return failed_call("unlink", from.path);
  return {};
}

}  // namespace

Error failed_call(const char* call, const fs::path& path) {
  const int err = errno;
  Error error = Error::from_errno(err, call, path.string());
  if (err == ENOENT) error.code = make_error_code(Errc::not_found);
  if (err == EEXIST) error.code = make_error_code(Errc::busy);
  return error;
}

Result<std::string> read_to_end(int fd, std::size_t told, std::size_t most, const fs::path& path) {
  if (told > most) return too_large(path, most);
  std::string out(std::min(told > 0 ? told : kFirstPiece, most) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::read(fd, out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed_call("read", path);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size > most) return too_large(path, most);
    if (size == out.size()) out.resize(std::min(2 * out.size(), most + 1));
  }
  out.resize(size);
  return out;
}

Result<std::string> read_regular(int fd, std::size_t most, const fs::path& path) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return failed_call("stat", path);
  if (!S_ISREG(st.st_mode)) return Error(Errc::io, path.string() + " is no file");
  return read_to_end(fd, static_cast<std::size_t>(std::max<off_t>(st.st_size, 0)), most, path);
}

bool is_of_group(int directory) {
  struct stat st {};
  return ::fstat(directory, &st) == 0 && (st.st_mode & (S_ISGID | S_IWGRP)) == (S_ISGID | S_IWGRP);
}

// A uniquely named temporary file beside an entry, removed by the destructor.
class DirectoryEntry::New {
 public:
  static Result<New> write(const DirectoryEntry& beside, std::span<const std::string_view> pieces, OnDisk on_disk) {
    New out(beside);
    struct stat old {};
    const bool replaces = ::fstatat(out.directory_, beside.name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (replaces && !S_ISREG(old.st_mode))
      return Error(Errc::permission,
                   beside.path_.string() + " is no file of its own: memd does not write through links");
    const mode_t mode = replaces ? old.st_mode & 0777U : is_of_group(out.directory_) ? 0660U : 0600U;
    const fs::path path = beside.path_.parent_path() / out.name_;
    const UniqueFd fd(
        ::openat(out.directory_, out.name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return failed_call("create", path);
    out.owned_ = true;
    for (const std::string_view bytes : pieces)
      MEMD_TRY(write_all(fd.get(), bytes, path));
    if (mode != 0600U && ::fchmod(fd.get(), mode) != 0) return failed_call("fchmod", path);
    if (on_disk == OnDisk::now && sync_to_disk(fd.get()) != 0) return failed_call("fsync", path);
    return out;
  }
  New(New&& other) noexcept
      : directory_(other.directory_), name_(std::move(other.name_)), owned_(std::exchange(other.owned_, false)) {}
  New& operator=(New&&) = delete;
  ~New() {
    if (owned_) ::unlinkat(directory_, name_.c_str(), 0);
  }

  const std::string& name() const { return name_; }
  void moved() { owned_ = false; }

 private:
  explicit New(const DirectoryEntry& beside) : directory_(beside.directory_.get()), name_(next_new_name()) {}
  int directory_;
  std::string name_;
  bool owned_ = false;
};

bool is_of_dead_process(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  pid_t process = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
  if (read.ec != std::errc() || process <= 1) return false;
  name.remove_prefix(static_cast<std::size_t>(read.ptr - name.data()));
  if (suffix.empty() ? !name.starts_with('-') : name != suffix) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

DirectoryEntry::DirectoryEntry(UniqueFd directory, fs::path path)
    : directory_(std::move(directory)), path_(std::move(path)), name_(path_.filename().native()) {}

Result<DirectoryEntry> DirectoryEntry::at(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  UniqueFd fd(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return failed_call("open", parent);
  return DirectoryEntry(std::move(fd), path);
}

Result<void> DirectoryEntry::sync(OnDisk on_disk) const {
  if (on_disk == OnDisk::now && sync_to_disk(directory_.get()) != 0) return failed_call("fsync", path_.parent_path());
  return {};
}

Result<void> DirectoryEntry::write(std::span<const std::string_view> pieces, OnDisk on_disk) const {
  auto made = New::write(*this, pieces, on_disk);
  if (!made) return made.error();
  const int in = directory_.get();
  // When a file is renamed over another, ext4 writes it out, and the next fsync of any file waits for that. A swap
  // avoids this.
  if (on_disk == OnDisk::later && exchange(in, made->name().c_str(), name_.c_str()) == 0) return {};
  if (::renameat(in, made->name().c_str(), in, name_.c_str()) != 0) return failed_call("rename", path_);
  made->moved();
  return sync(on_disk);
}

Result<void> DirectoryEntry::create(std::string_view bytes, OnDisk on_disk) const {
  auto made = New::write(*this, {&bytes, 1}, on_disk);
  if (!made) return made.error();
  const int in = directory_.get();
  MEMD_TRY(rename_to_free_name({in, made->name(), path_.parent_path() / made->name()}, {in, name_, path_}));
  made->moved();
  return sync(on_disk);
}

Result<std::optional<std::string>> DirectoryEntry::replace(std::string_view expected, std::string_view bytes,
                                                           OnDisk on_disk, std::size_t most) const {
  const int in = directory_.get();
  MEMD_TRY_ASSIGN(std::string there, read_at(in, name_, most, path_));
  if (there != expected) return std::optional(std::move(there));
  auto made = New::write(*this, {&bytes, 1}, on_disk);
  if (!made) return made.error();
  if (exchange(in, made->name().c_str(), name_.c_str()) == 0) {
    // The old file now has our temporary name. If it was changed after it was read, it is swapped back.
    auto was_there = read_at(in, made->name(), most, path_);
    if (!was_there || *was_there != expected) {
      if (exchange(in, made->name().c_str(), name_.c_str()) != 0) {
        made->moved();
        return failed_call("rename", path_);
      }
      // What comes back is our text, or what somebody has written over it in between: that is the newest.
      if (auto newest = read_at(in, made->name(), most, path_); !newest || *newest != bytes) {
        if (::renameat(in, made->name().c_str(), in, name_.c_str()) != 0) return failed_call("rename", path_);
        made->moved();
        was_there = std::move(newest);
      }
      if (!was_there) return was_there.error();
      return std::optional(*std::move(was_there));
    }
  } else if (errno == EINVAL || errno == ENOSYS) {  // the file system cannot swap
    if (::renameat(in, made->name().c_str(), in, name_.c_str()) != 0) return failed_call("rename", path_);
    made->moved();
  } else {
    return failed_call("rename", path_);
  }
  MEMD_TRY(sync(on_disk));
  return std::optional<std::string>();
}

Result<void> DirectoryEntry::move(const DirectoryEntry& to, OnDisk on_disk) const {
  MEMD_TRY(rename_to_free_name({directory_.get(), name_, path_}, {to.directory_.get(), to.name_, to.path_}));
  MEMD_TRY(to.sync(on_disk));
  return sync(path_.parent_path() == to.path_.parent_path() ? OnDisk::later : on_disk);
}

Result<void> DirectoryEntry::remove() const {
  if (::unlinkat(directory_.get(), name_.c_str(), 0) != 0 && errno != ENOENT) return failed_call("unlink", path_);
  return {};
}

Result<FileLock> DirectoryEntry::lock(std::chrono::milliseconds patience) const {
  UniqueFd fd(::openat(directory_.get(), name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd) return failed_call("open", path_);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return failed_call("stat", path_);
  if (!S_ISREG(st.st_mode)) return Error(Errc::io, path_.string() + " is no file");
  const auto until = std::chrono::steady_clock::now() + patience;
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, std::chrono::milliseconds(16))) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
    if (errno != EWOULDBLOCK && errno != EINTR) return failed_call("flock", path_);
    if (std::chrono::steady_clock::now() >= until)
      return Error(Errc::busy, path_.string() + " is held by another program for more than " +
                                   std::to_string(patience.count() / 1000) + " s: try again when that has ended");
    std::this_thread::sleep_for(pause);
  }
}

Result<FileLock> FileLock::take(const fs::path& file, std::chrono::milliseconds patience) {
  MEMD_TRY_ASSIGN(const DirectoryEntry entry, DirectoryEntry::at(file));
  return entry.lock(patience);
}

}  // namespace memd::files
