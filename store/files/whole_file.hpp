#pragma once

#include "schemas/error.hpp"
#include "schemas/unique_fd.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Reads and replaces whole files. A reader sees either the old or the new bytes, even when the writer is killed. A
// killed writer leaves a temporary file ".memd-new-…" in the same directory, which tidy() removes. New files are 0600,
// new directories 0700; a replaced file keeps its mode. Symbolic links are not followed on writing. Thread-safe.
namespace memd::files {

// Durability of a write. `now`: bytes and name are on disk when the call returns. `later`: for data that can be created
// again.
enum class OnDisk { now, later };

// Reads a whole file. Errc::not_found if there is none.
Result<std::string> read_whole(const std::filesystem::path& file);

// Writes the file, replacing an existing one.
Result<void> write_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);
// Writes the concatenation of `pieces`.
Result<void> write_pieces(const std::filesystem::path& file, std::span<const std::string_view> pieces, OnDisk on_disk);

// Writes the file only if it does not exist. Errc::busy when it exists.
Result<void> create_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);

// Replaces the file if its content is `expected`. If the content differs at the moment of the swap, it stays, nothing
// is written, and the other content is returned. Writers that rename, as editors do, lose no data to this call.
// Errc::not_found: the file is gone.
Result<std::optional<std::string>> replace_whole(const std::filesystem::path& file, std::string_view expected,
                                                 std::string_view bytes, OnDisk on_disk);

// Renames a file to a free name in the same file system. Errc::busy when the name is taken.
Result<void> move_whole(const std::filesystem::path& from, const std::filesystem::path& to, OnDisk on_disk);

// Creates the directory and its missing parents.
Result<void> make_directories(const std::filesystem::path& directory);

// Returns the topmost directory that make_directories() would create; empty: it would create none.
std::filesystem::path topmost_missing(const std::filesystem::path& directory);

// Removes the directory and those above it up to `topmost`, itself or one above it, as long as they are empty.
void remove_empty_directories(std::filesystem::path directory, const std::filesystem::path& topmost);

// Removes temporary files of killed writers from a directory. The caller holds the directory's lock.
void tidy(const std::filesystem::path& directory);
// Removes only those whose writer has died: for directories in which other writers hold no lock of the caller.
void tidy_after_the_dead(const std::filesystem::path& directory);

// A lock on a file that excludes other processes and threads which lock the same file: flock, which the kernel releases
// when the holder dies. The lock file is not removed.
class FileLock {
 public:
  // Waits without a time limit.
  static Result<FileLock> take(const std::filesystem::path& file);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace memd::files
