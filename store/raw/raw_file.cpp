#include "store/raw/raw_file.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/unique_fd.hpp"
#include "store/files/system_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <utility>

namespace memd::raw {
namespace fs = std::filesystem;
namespace {

Error failed(const char* call, const fs::path& path) {
  Error error = Error::from_errno(errno, call, path.string());
  if (errno == ENOENT) error.code = make_error_code(Errc::not_found);
  return error;
}

Result<void> write_all(int fd, std::uint64_t offset, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return failed("write", path);
    }
    offset += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !directory.has_parent_path()) return failed("mkdir", directory);
  MEMD_TRY(make_directory(directory.parent_path()));
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failed("mkdir", directory);
}

std::vector<std::string> names_ending(const fs::path& directory, std::string_view end_of_name) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator platform(directory, ec), end; !ec && platform != end; platform.increment(ec)) {
    if (!platform->path().filename().string().starts_with("platform=")) continue;
    std::error_code inner;
    for (fs::directory_iterator file(platform->path(), inner); !inner && file != end; file.increment(inner))
      if (file->path().string().ends_with(end_of_name))
        out.push_back((platform->path().filename() / file->path().filename()).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Result<FileBytes> FileBytes::open(const fs::path& path, std::uint64_t offset, std::uint64_t length) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0) return failed("open", path);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return failed("stat", path);
  const auto size = static_cast<std::uint64_t>(st.st_size);
  const auto wanted = static_cast<std::size_t>(std::min(length, size - std::min(size, offset)));
  auto bytes = std::make_unique_for_overwrite<char[]>(wanted);
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t n = ::pread(fd.get(), bytes.get() + done, wanted - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", path);
    if (n == 0) break;  // the file was truncated meanwhile
    done += static_cast<std::size_t>(n);
  }
  return FileBytes(std::move(bytes), done);
}

std::size_t next_magic(std::string_view bytes) {
  constexpr std::string_view kMagic = "\x5D\x2A\x4D\x18";
  return std::min(bytes.find(kMagic, 1), bytes.size());
}

Result<RawScan> scan_frames(std::string_view file, std::string_view name, const FrameSeal& seal) {
  RawScan out;
  std::size_t at = 0;
  std::size_t damaged_from = std::string_view::npos;
  const auto end_damage = [&] {
    if (damaged_from != std::string_view::npos) out.damages.push_back({damaged_from, at - damaged_from});
    damaged_from = std::string_view::npos;
  };
  while (at < file.size()) {
    auto frame = seal.parse(file.substr(at), {name, at});
    if (frame) {
      end_damage();
      const bool is_sealed = frame->is_sealed();
      const std::uint64_t length = frame->length;
      frame->unsealed.clear();
      frame->unsealed.shrink_to_fit();
      out.frames.push_back({at, std::move(*frame), is_sealed});
      at += length;
      out.intact_end = at;
      continue;
    }
    if (!frame.error().is(Errc::io)) return frame.error();
    if (damaged_from == std::string_view::npos) damaged_from = at;
    at += next_magic(file.substr(at));
  }
  end_damage();
  return out;
}

Result<void> write_at(const fs::path& path, std::uint64_t offset, std::string_view bytes, bool& shorter) {
  shorter = false;
  MEMD_TRY(make_directory(path.parent_path()));
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (fd.get() < 0) return failed("open", path);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return failed("stat", path);
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (size < offset) {
    shorter = true;
    return Error(Errc::io, path.string() + " is shorter than the store says");
  }
  // Bytes after `offset` are remains of a failed commit or a killed process.
  if (size > offset && ::ftruncate(fd.get(), static_cast<off_t>(offset)) != 0) return failed("truncate", path);
  return write_all(fd.get(), offset, bytes, path);
}

Result<void> replace_file(const fs::path& path, std::uint64_t keep, std::string_view tail) {
  MEMD_TRY(make_directory(path.parent_path()));
  const fs::path temporary = path.string() + ".new";
  {
    const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd.get() < 0) return failed("open", temporary);
    if (keep > 0) {
      MEMD_TRY_ASSIGN(const auto old, FileBytes::open(path, 0, keep));
      if (old.bytes().size() < keep) return Error(Errc::io, path.string() + " is shorter than the store says");
      MEMD_TRY(write_all(fd.get(), 0, old.bytes(), temporary));
    }
    MEMD_TRY(write_all(fd.get(), keep, tail, temporary));
    if (files::sync_to_disk(fd.get()) != 0) return failed("fsync", temporary);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed("rename", temporary);
  return {};
}

void remove_leftovers(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& name : names_ending(directory, ".jsonl.zst.new"))
    fs::remove(directory / name, ignored);
}

std::vector<std::string> raw_file_names(const fs::path& directory) { return names_ending(directory, ".jsonl.zst"); }

}  // namespace memd::raw
