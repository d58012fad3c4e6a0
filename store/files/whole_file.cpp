#include "store/files/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace memd::files {
namespace fs = std::filesystem;

Result<std::string> read_whole(const fs::path& file, std::size_t most) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return failed_call("open", file);
  return read_regular(fd.get(), most, file);
}

Result<std::string> read_named(const fs::path& file, std::size_t most) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return failed_call("open", file);
  return read_to_end(fd.get(), 0, most, file);
}

Result<void> write_whole(const fs::path& file, std::string_view bytes, OnDisk on_disk) {
  MEMD_TRY_ASSIGN(const DirectoryEntry entry, DirectoryEntry::at(file));
  return entry.write({&bytes, 1}, on_disk);
}

Result<void> create_whole(const fs::path& file, std::string_view bytes, OnDisk on_disk) {
  MEMD_TRY_ASSIGN(const DirectoryEntry entry, DirectoryEntry::at(file));
  return entry.create(bytes, on_disk);
}

Result<std::optional<std::string>> replace_whole(const fs::path& file, std::string_view expected,
                                                 std::string_view bytes, OnDisk on_disk) {
  MEMD_TRY_ASSIGN(const DirectoryEntry entry, DirectoryEntry::at(file));
  return entry.replace(expected, bytes, on_disk, kMostOwnBytes);
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

void remove_dead(const fs::path& directory, std::string_view prefix, std::string_view suffix) {
  std::error_code ec;
  for (auto it = fs::directory_iterator(directory, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
    if (is_of_dead_process(it->path().filename().native(), prefix, suffix)) ::unlink(it->path().c_str());
}

void remove_dead(const fs::path& directory) { remove_dead(directory, DirectoryEntry::kNewPrefix, {}); }

}  // namespace memd::files
