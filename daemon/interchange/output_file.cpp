#include "daemon/interchange/output_file.hpp"

#include "store/files/system_calls.hpp"
#include "store/files/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <string>
#include <utility>

namespace memd::interchange {

Result<OutputFile> OutputFile::open(const std::filesystem::path& path) {
  if (path.empty() || path == "-") return OutputFile(stdout, "standard output", {});
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  files::remove_dead(folder, path.filename().string() + ".", ".part");
  const std::filesystem::path part = path.string() + "." + std::to_string(::getpid()) + ".part";
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return Error::from_errno(errno, "create", part.string());
  std::FILE* file = ::fdopen(fd, "wb");
  if (file == nullptr) {
    const int err = errno;
    ::close(fd);
    ::unlink(part.c_str());
    return Error::from_errno(err, "open", part.string());
  }
  return OutputFile(file, path, part);
}

OutputFile::~OutputFile() {
  if (file_ == nullptr || part_.empty()) return;
  std::fclose(file_);
  ::unlink(part_.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)), part_(std::move(other.part_)) {}

Result<void> OutputFile::line(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fputc('\n', file_) == EOF)
    return Error::from_errno(errno, "write", path_.string());
  return {};
}

Result<void> OutputFile::bytes(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    return Error::from_errno(errno, "write", path_.string());
  return {};
}

Result<void> OutputFile::finish() {
  if (std::fflush(file_) != 0) return Error::from_errno(errno, "write", path_.string());
  if (part_.empty()) return {};
  if (files::sync_to_disk(::fileno(file_)) != 0) return Error::from_errno(errno, "fsync", path_.string());
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
    const int err = errno;
    ::unlink(part_.c_str());
    return Error::from_errno(err, "write", path_.string());
  }
  return {};
}

}  // namespace memd::interchange
