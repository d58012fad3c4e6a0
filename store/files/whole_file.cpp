#include "store/files/whole_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

namespace memd::files {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kNewPrefix = ".memd-new-";

Error failed(const char* call, const fs::path& path) {
  const int err = errno;
  Error error = Error::from_errno(err, call, path.string());
  if (err == ENOENT) error.code = make_error_code(Errc::not_found);
  if (err == EEXIST) error.code = make_error_code(Errc::busy);
  return error;
}

fs::path name_beside(const fs::path& file) {
  static std::atomic<unsigned> number{0};
  return file.parent_path() / (std::string(kNewPrefix) + std::to_string(::getpid()) + "-" + std::to_string(++number));
}

// Removes the temporary files whose names, without the prefix, fulfil `of`.
template <class Condition>
void remove_new_files(const fs::path& directory, Condition of) {
  std::error_code ec;
  for (auto it = fs::directory_iterator(directory, ec); !ec && it != fs::directory_iterator(); it.increment(ec)) {
    const std::string name = it->path().filename().native();
    if (name.starts_with(kNewPrefix) && of(std::string_view(name).substr(kNewPrefix.size())))
      ::unlink(it->path().c_str());
  }
}

// `pid_and_number`: as name_beside() writes them, "123-1".
bool writer_has_died(std::string_view pid_and_number) {
  pid_t pid = 0;
  const char* const end = pid_and_number.data() + pid_and_number.size();
  const auto [after, ec] = std::from_chars(pid_and_number.data(), end, pid);
  if (ec != std::errc() || pid <= 0 || after == end || *after != '-') return false;
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return failed("write", path);
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> sync_directory(const fs::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return failed("open", directory);
  if (::fsync(fd.get()) != 0) return failed("fsync", directory);
  return {};
}

// A uniquely named temporary file, removed by the destructor.
class NewFile {
 public:
  static Result<NewFile> write(const fs::path& beside, std::span<const std::string_view> pieces, OnDisk on_disk) {
    NewFile out(name_beside(beside));
    struct stat old {};
    const bool replaces = ::lstat(beside.c_str(), &old) == 0;
    if (replaces && !S_ISREG(old.st_mode))
      return Error(Errc::permission, beside.string() + " is no file of its own: memd does not write through links");
    const mode_t mode = replaces ? old.st_mode & 0777U : 0600U;
    const UniqueFd fd(::open(out.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return failed("create", out.path_);
    out.owned_ = true;
    for (const std::string_view bytes : pieces)
      MEMD_TRY(write_all(fd.get(), bytes, out.path_));
    if (mode != 0600U && ::fchmod(fd.get(), mode) != 0) return failed("fchmod", out.path_);
    if (on_disk == OnDisk::now && ::fsync(fd.get()) != 0) return failed("fsync", out.path_);
    return out;
  }
  NewFile(NewFile&& other) noexcept : path_(std::move(other.path_)), owned_(std::exchange(other.owned_, false)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (owned_) ::unlink(path_.c_str());
  }

  const fs::path& path() const { return path_; }
  void moved() { owned_ = false; }

 private:
  explicit NewFile(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
  bool owned_ = false;
};

#ifdef __linux__
int rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags);
}
#else
constexpr unsigned RENAME_NOREPLACE = 1;
constexpr unsigned RENAME_EXCHANGE = 2;

int rename_with(const fs::path&, const fs::path&, unsigned) {  // as on a file system that supports neither
  errno = ENOSYS;
  return -1;
}
#endif

Result<void> rename_to_free_name(const fs::path& from, const fs::path& to) {
  if (rename_with(from, to, RENAME_NOREPLACE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return failed("rename", errno == ENOENT ? from : to);
  if (::link(from.c_str(), to.c_str()) != 0) return failed("link", errno == ENOENT ? from : to);
  if (::unlink(from.c_str()) != 0) return failed("unlink", from);
  return {};
}

Result<void> finish(const fs::path& file, OnDisk on_disk) {
  return on_disk == OnDisk::now ? sync_directory(file.parent_path()) : Result<void>();
}

}  // namespace

Result<std::string> read_whole(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return failed("open", file);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return failed("stat", file);
  if (!S_ISREG(st.st_mode)) return Error(Errc::io, file.string() + " is no file");
  std::string out(static_cast<std::size_t>(st.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::read(fd.get(), out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", file);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size == out.size()) out.resize(2 * out.size());
  }
  out.resize(size);
  return out;
}

Result<void> write_whole(const fs::path& file, std::string_view bytes, OnDisk on_disk) {
  return write_pieces(file, {&bytes, 1}, on_disk);
}

Result<void> write_pieces(const fs::path& file, std::span<const std::string_view> pieces, OnDisk on_disk) {
  auto made = NewFile::write(file, pieces, on_disk);
  if (!made) return made.error();
  // When a file is renamed over another, ext4 writes it out, and the next fsync of any file waits for that. A swap
  // avoids this.
  if (on_disk == OnDisk::later && rename_with(made->path(), file, RENAME_EXCHANGE) == 0) return {};
  if (::rename(made->path().c_str(), file.c_str()) != 0) return failed("rename", file);
  made->moved();
  return finish(file, on_disk);
}

Result<void> create_whole(const fs::path& file, std::string_view bytes, OnDisk on_disk) {
  auto made = NewFile::write(file, {&bytes, 1}, on_disk);
  if (!made) return made.error();
  MEMD_TRY(rename_to_free_name(made->path(), file));
  made->moved();
  return finish(file, on_disk);
}

Result<std::optional<std::string>> replace_whole(const fs::path& file, std::string_view expected,
                                                 std::string_view bytes, OnDisk on_disk) {
  MEMD_TRY_ASSIGN(std::string there, read_whole(file));
  if (there != expected) return std::optional(std::move(there));
  auto made = NewFile::write(file, {&bytes, 1}, on_disk);
  if (!made) return made.error();
  if (rename_with(made->path(), file, RENAME_EXCHANGE) == 0) {
    // The old file now has our temporary name. If it was changed after it was read, it is swapped back.
    MEMD_TRY_ASSIGN(std::string was_there, read_whole(made->path()));
    if (was_there != expected) {
      if (rename_with(made->path(), file, RENAME_EXCHANGE) != 0) {
        made->moved();
        return failed("rename", made->path());
      }
      return std::optional(std::move(was_there));
    }
  } else if (errno == EINVAL || errno == ENOSYS) {  // the file system cannot swap
    if (::rename(made->path().c_str(), file.c_str()) != 0) return failed("rename", file);
    made->moved();
  } else {
    return failed("rename", file);
  }
  MEMD_TRY(finish(file, on_disk));
  return std::optional<std::string>();
}

Result<void> move_whole(const fs::path& from, const fs::path& to, OnDisk on_disk) {
  MEMD_TRY(rename_to_free_name(from, to));
  MEMD_TRY(finish(to, on_disk));
  return from.parent_path() == to.parent_path() ? Result<void>() : finish(from, on_disk);
}

Result<void> make_directories(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0) return {};
  if (errno == ENOENT && directory.has_relative_path()) {
    MEMD_TRY(make_directories(directory.parent_path()));
    if (::mkdir(directory.c_str(), 0700) == 0) return {};
  }
  const int err = errno;
  std::error_code ec;
  if (err == EEXIST && fs::is_directory(directory, ec)) return {};
  return Error::from_errno(err, "mkdir", directory.string());
}

fs::path topmost_missing(const fs::path& directory) {
  std::error_code ec;
  fs::path out;
  for (fs::path at = directory; at.has_relative_path() && !fs::exists(fs::symlink_status(at, ec));
       at = at.parent_path())
    out = at;
  return out;
}

void remove_empty_directories(fs::path directory, const fs::path& topmost) {
  while (directory.native().size() >= topmost.native().size() && ::rmdir(directory.c_str()) == 0)
    directory = directory.parent_path();
}

void tidy(const fs::path& directory) {
  remove_new_files(directory, [](std::string_view) { return true; });
}

void tidy_after_the_dead(const fs::path& directory) { remove_new_files(directory, writer_has_died); }

Result<FileLock> FileLock::take(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return failed("open", file);
  while (::flock(fd.get(), LOCK_EX) != 0)
    if (errno != EINTR) return failed("flock", file);
  return FileLock(std::move(fd));
}

}  // namespace memd::files
