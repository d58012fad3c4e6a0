#include "daemon/ingest/source_file.hpp"

#include "schemas/hash.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>

namespace memd {

Result<SourceFile> SourceFile::open(const std::filesystem::path& path) {
  // Non-blocking so that a fifo in an agent's directory cannot hang us; regular files do not care.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    Error error = Error::from_errno(errno, "open", path.string());
    if (errno == ENOENT || errno == ENOTDIR) error.code = make_error_code(Errc::not_found);
    return error;
  }
  struct stat st {};
  if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    const int err = S_ISREG(st.st_mode) ? errno : EINVAL;
    ::close(fd);
    return Error::from_errno(err, "stat", path.string());
  }
#ifdef __APPLE__
  const auto& mtime = st.st_mtimespec;
#else
  const auto& mtime = st.st_mtim;
#endif
  FileStat out;
  out.device = static_cast<std::uint64_t>(st.st_dev);
  out.inode = static_cast<std::uint64_t>(st.st_ino);
  out.size = static_cast<std::uint64_t>(st.st_size);
  out.mtime = static_cast<TimeMs>(mtime.tv_sec) * 1000 + mtime.tv_nsec / 1'000'000;
  return SourceFile(fd, out, path.string());
}

SourceFile::~SourceFile() {
  if (fd_ >= 0) ::close(fd_);
}

SourceFile::SourceFile(SourceFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), stat_(other.stat_), path_(std::move(other.path_)) {}

Result<std::size_t> SourceFile::read_at(std::uint64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
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

}  // namespace memd
