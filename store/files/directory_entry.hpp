#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memd::files {

// Durability of a write. `now`: bytes and name are on disk when the call returns. `later`: for data that can be created
// again.
enum class OnDisk { now, later };

// The metadata by which a changed regular file is detected without reading it.
struct FileFacts {
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;  // ctime in ns since the epoch; changes on a rename too
  std::int64_t inode = 0;
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

// A lock on a file that excludes other processes and threads which lock the same file: flock, which the kernel releases
// when the holder dies. The lock file is not removed.
class FileLock {
 public:
  static constexpr std::chrono::seconds kPatience{10};
  // Errc::busy: somebody holds the lock for longer than `patience`.
  static Result<FileLock> take(const std::filesystem::path& file, std::chrono::milliseconds patience = kPatience);

 private:
  friend class DirectoryEntry;
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

// Whether a directory was made for a group to work in: it may write there, and what is new is the group's (mode 2770).
bool is_of_group(int directory);

// Returns the error of the last system call: Errc::not_found for ENOENT, Errc::busy for EEXIST.
Error failed_call(const char* call, const std::filesystem::path& path);
// Reads an open file, or what else is open, to its end. Errc::io if that has more than `most` bytes. `told`: how many
// are expected.
Result<std::string> read_to_end(int fd, std::size_t told, std::size_t most, const std::filesystem::path& path);
// The same for a regular file. Errc::io if it is none.
Result<std::string> read_regular(int fd, std::size_t most, const std::filesystem::path& path);

// Returns whether a file is named `prefix`, the number of a process that has ended, `suffix`. An empty suffix: "-" and
// any text.
bool is_of_dead_process(std::string_view name, std::string_view prefix, std::string_view suffix);

// A name in an open directory: reads, replaces and removes the file there, and follows no link in place of it. Nothing
// waits for a FIFO or a device. A reader sees either the old or the new bytes, even when the writer is killed; a killed
// writer leaves a temporary file kNewPrefix… in the same directory. New files are 0600, in a directory of a group 0660;
// a replaced file keeps its mode.
class DirectoryEntry {
 public:
  static constexpr std::string_view kNewPrefix = ".memd-new-";

  // `path`: the whole one. Its last name counts; the rest is for messages.
  DirectoryEntry(UniqueFd directory, std::filesystem::path path);
  static Result<DirectoryEntry> at(const std::filesystem::path& path);

  // Writes the concatenation of `pieces`, replacing an existing file.
  Result<void> write(std::span<const std::string_view> pieces, OnDisk on_disk) const;
  // Errc::busy if the name is taken.
  Result<void> create(std::string_view bytes, OnDisk on_disk) const;
  // Replaces the file if its content is `expected`, else returns the other content. Errc::not_found.
  Result<std::optional<std::string>> replace(std::string_view expected, std::string_view bytes, OnDisk on_disk,
                                             std::size_t most) const;
  // Renames the file to a free name in the same file system. Errc::busy when the name is taken.
  Result<void> move(const DirectoryEntry& to, OnDisk on_disk) const;
  // A missing file is no error.
  Result<void> remove() const;
  Result<FileLock> lock(std::chrono::milliseconds patience) const;

 private:
  class New;
  Result<void> sync(OnDisk on_disk) const;

  UniqueFd directory_;
  std::filesystem::path path_;
  std::string name_;
};

}  // namespace memd::files
