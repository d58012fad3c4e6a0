#pragma once

#include "schemas/error.hpp"
#include "schemas/unique_fd.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Files that are read and replaced as a whole. A reader sees the old bytes or the new ones, never a part, also when the
// writer is killed. What a killed writer leaves is a file ".memd-new-…" beside, which tidy() removes. New files are
// 0600, new directories 0700; a file that is replaced keeps its mode. Links are not written through. Thread-safe.
namespace memd::files {

// Whether the bytes, and the name, are on the disk when the call returns. `later`: for what can be made again.
enum class OnDisk { now, later };

// Errc::not_found if there is none.
Result<std::string> read_whole(const std::filesystem::path& file);

// In place of what is there, if something is.
Result<void> write_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);
// The same of bytes that stand in several places, one after the other.
Result<void> write_pieces(const std::filesystem::path& file, std::span<const std::string_view> pieces, OnDisk on_disk);

// Only if nothing is there. Errc::busy: something is.
Result<void> create_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);

// In place of a file with the bytes `expected`. If others stand there in the moment of the change, they stay, nothing
// is written, and they are returned. Whoever writes by renaming, as editors do, loses nothing to this. Errc::not_found:
// the file has gone.
Result<std::optional<std::string>> replace_whole(const std::filesystem::path& file, std::string_view expected,
                                                 std::string_view bytes, OnDisk on_disk);

// From one name to another that is free, in the same file system. Errc::busy: it is not free.
Result<void> move_whole(const std::filesystem::path& from, const std::filesystem::path& to, OnDisk on_disk);

// Makes the directory and those above it, where they are missing.
Result<void> make_directories(const std::filesystem::path& directory);

// Removes what killed writers left in a directory. The caller holds the directory's lock.
void tidy(const std::filesystem::path& directory);

// Of one writer at a time, among processes and threads that ask for the same file: flock, which the kernel drops when
// its holder dies. The file stays.
class FileLock {
 public:
  // Waits for as long as it takes.
  static Result<FileLock> take(const std::filesystem::path& file);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace memd::files
