#include "daemon/ingest/source_file.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/files/beneath.hpp"
#include "store/files/path_name.hpp"
#include "store/files/system_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace memd {
namespace fs = std::filesystem;
namespace {

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

std::int64_t in_ns(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

TimeMs in_ms(const timespec& time) { return static_cast<TimeMs>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000; }

// Without descriptor, errno is set; EXDEV: the path leads to something outside of the root.
UniqueFd open_in_root(const fs::path& root, const fs::path& below, int flags) {
  const UniqueFd directory = files::open_root(root);
  UniqueFd fd = directory ? files::open_beneath(directory, root, below, flags) : UniqueFd();
  if (fd || errno != EXDEV) return fd;
  struct ::stat st {};
  const bool leads_nowhere = ::stat((root / below).c_str(), &st) != 0 && is_absent(errno);
  errno = leads_nowhere ? ENOENT : EXDEV;
  return fd;
}

bool may_be_data(const struct ::stat& st, const struct ::stat& root) {
  return st.st_uid == root.st_uid && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

// As open_beneath(), for a path that leads_to_own() allows.
int open_own(const fs::path& root, const fs::path& path, int flags) {
  struct ::stat owner {};
  struct ::stat opened {};
  UniqueFd fd(leads_to_own(root, path) && ::stat(root.c_str(), &owner) == 0 ? ::open(path.c_str(), flags) : -1);
  // A link on the way may have been replaced meanwhile.
  const bool is_allowed = fd && ::fstat(fd.get(), &opened) == 0 && may_be_data(opened, owner);
  if (!is_allowed) errno = EXDEV;
  return is_allowed ? fd.release() : -1;
}

}  // namespace

bool leads_to_own(const fs::path& root, const fs::path& path) {
  struct ::stat owner {};
  struct ::stat st {};
  if (::stat(root.c_str(), &owner) != 0 || ::stat(path.c_str(), &st) != 0 || !may_be_data(st, owner)) return false;
  for (fs::path at = path; at != root && files::is_inside(at, root); at = at.parent_path()) {
    if (::lstat(at.c_str(), &st) != 0) return false;
    const bool is_trusted = st.st_uid == owner.st_uid || st.st_uid == ::geteuid() || st.st_uid == 0;
    if (S_ISLNK(st.st_mode) && !is_trusted) return false;
  }
  return true;
}

Result<UniqueFd> SourceRoots::open(const fs::path& path, int flags) const {
  const fs::path* root = nullptr;
  for (const fs::path& one : roots_)
    if (files::is_inside(path, one) && path != one && (root == nullptr || files::is_inside(one, *root))) root = &one;
  const int by_path = roots_.empty() ? flags | O_NOFOLLOW : flags;
  UniqueFd fd(root == nullptr ? ::open(path.c_str(), by_path)
                              : open_in_root(*root, path.lexically_relative(*root), flags).release());
  if (!fd && root != nullptr && errno == EXDEV && own_.contains(*root)) fd = UniqueFd(open_own(*root, path, flags));
  if (fd) return fd;
  if (root != nullptr && errno == EXDEV)
    return Error(Errc::io, path.string() + " is, or is reached through, a symbolic link that leads out of " +
                               root->string() +
                               ": it is not read. Where that is wanted, name the directory it leads to in"
                               " platforms.<name>.paths");
  Error error = Error::from_errno(errno, "open", path.string());
  if (is_absent(errno)) error.code = make_error_code(Errc::not_found);
  return error;
}

Result<SourceFile> SourceFile::open(const std::filesystem::path& path, const SourceRoots& roots) {
  // Non-blocking so that a fifo in an agent's directory cannot hang us; regular files do not care.
  MEMD_TRY_ASSIGN(UniqueFd fd, roots.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode))
    return Error::from_errno(S_ISREG(st.st_mode) ? errno : EINVAL, "stat", path.string());
  FileStat out;
  out.device = static_cast<std::uint64_t>(st.st_dev);
  out.inode = static_cast<std::uint64_t>(st.st_ino);
  out.size = static_cast<std::uint64_t>(st.st_size);
  out.mtime = in_ms(files::changed_at(st));
  out.changed_ns = in_ns(files::inode_changed_at(st));
  return SourceFile(std::move(fd), out, path.string());
}

Result<SourceFile> SourceFile::duplicate() const {
  UniqueFd fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd) return Error::from_errno(errno, "duplicate", path_);
  return SourceFile(std::move(fd), stat_, path_);
}

Result<std::size_t> SourceFile::read_at(std::uint64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (n < 0) {
      if (errno == EINTR) continue;
      return Error::from_errno(errno, "read", path_);
    }
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Result<std::uint64_t> SourceFile::hash_head(std::uint32_t length) const {
  std::array<char, kHeadBytes> head;
  MEMD_TRY_ASSIGN(const std::size_t n, read_at(0, std::span(head).first(std::min(length, kHeadBytes))));
  return hash64(std::string_view(head.data(), n));
}

std::optional<FileView::Entry> DiskView::stat(const std::string& path) const {
  struct ::stat st {};
  if (::lstat(path.c_str(), &st) != 0) {
    if (may_pass(errno)) throw ErrorException(Error::from_errno(errno, "stat", path));
    return std::nullopt;
  }
  if (S_ISLNK(st.st_mode) && roots_.is_empty()) {
    if (::stat(path.c_str(), &st) != 0) return std::nullopt;
  } else if (S_ISLNK(st.st_mode)) {
    const auto target = roots_.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (!target || ::fstat(target->get(), &st) != 0) return std::nullopt;
  }
  const timespec changed = files::changed_at(st);
  Entry e;
  e.path = path;
  e.is_directory = S_ISDIR(st.st_mode);
  e.device = st.st_dev;
  e.inode = st.st_ino;
  e.size = static_cast<std::uint64_t>(st.st_size);
  e.mtime = in_ms(changed);
  e.mtime_ns = in_ns(changed);
  return e;
}

Result<std::string> DiskView::read(const std::string& path, std::uint64_t offset, std::uint64_t length) const {
  auto opened = SourceFile::open(path, roots_);
  if (!opened && opened.error().is(Errc::exhausted)) throw ErrorException(opened.error());
  if (!opened) return opened.error();
  const SourceFile& file = *opened;
  const std::uint64_t size = file.stat().size;
  std::string bytes(static_cast<std::size_t>(offset >= size ? 0 : std::min(length, size - offset)), '\0');
  MEMD_TRY_ASSIGN(const std::size_t n, file.read_at(offset, bytes));
  bytes.resize(n);
  return bytes;
}

std::vector<FileView::Entry> DiskView::list(const std::string& directory) const {
  std::vector<Entry> out;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec))
    if (auto entry = stat(it->path().string())) out.push_back(std::move(*entry));
  if (may_pass(ec.value())) throw ErrorException(Error::from_errno(ec.value(), "list", directory));
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return out;
}

PathStat stat_path(const fs::path& path) {
  PathStat out;
  struct ::stat st {};
  if (::stat(path.c_str(), &st) != 0) {
    out.error = errno;
    return out;
  }
  out.is_directory = S_ISDIR(st.st_mode);
  out.device = static_cast<std::uint64_t>(st.st_dev);
  out.inode = static_cast<std::uint64_t>(st.st_ino);
  if (out.is_directory && ::access(path.c_str(), R_OK | X_OK) != 0) out.error = errno;
  return out;
}

Verdict judge_absence(const Source& source, const Error& error, const fs::path& root, const StatPath& look,
                      const std::function<bool(const fs::path&)>& is_same_place) {
  const fs::path file(source.path);
  // A root may be a single file; its parent directory is then examined.
  const fs::path top = root == file ? root.parent_path() : root;
  fs::path directory = file.parent_path();
  PathStat seen = look(directory);
  while (is_absent(seen.error) && files::is_inside(directory, top) && directory != top) {
    directory = directory.parent_path();
    seen = look(directory);
  }
  if (is_absent(seen.error))
    return {SourceState::unreachable, top.string() + " is not there; what was read from it stays"};
  if (seen.error != 0) return {SourceState::unreachable, directory.string() + ": " + std::strerror(seen.error)};
  if (!error.is(Errc::not_found)) return {SourceState::active, error.message()};
  const bool other_device = source.identity.device != 0 && seen.device != source.identity.device;
  if (other_device && !is_same_place(directory))
    return {SourceState::unreachable,
            directory.string() + " is on another file system than it was: is a disk not mounted?"};
  return {SourceState::gone, "the file is not there any more; what was read stays"};
}

}  // namespace memd
