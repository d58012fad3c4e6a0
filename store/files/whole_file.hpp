#pragma once

#include "schemas/base/result.hpp"
#include "store/files/directory_entry.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Reads and replaces whole files of the user and of memd by their path, whose directories may be links. What a
// repository or a scope of memories contains is opened by ScopeRoot only. For the rest see DirectoryEntry. New
// directories are 0700. Thread-safe.
namespace memd::files {

inline constexpr std::size_t kMostOwnBytes = std::size_t{1} << 30;

// Reads a regular file of at most `most` bytes. Errc::not_found if there is none.
Result<std::string> read_whole(const std::filesystem::path& file, std::size_t most = kMostOwnBytes);

// The same for what a user names, which may be a FIFO or a device (/dev/stdin, <(…)): waits for its end.
Result<std::string> read_named(const std::filesystem::path& file, std::size_t most);

// Writes the file, replacing an existing one.
Result<void> write_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);

// Writes the file only if it does not exist. Errc::busy when it exists.
Result<void> create_whole(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk);

// Replaces the file if its content is `expected`. If the content differs at the moment of the swap, it stays, nothing
// is written, and the other content is returned. Writers that rename, as editors do, lose no data to this call.
// Errc::not_found: the file is gone.
Result<std::optional<std::string>> replace_whole(const std::filesystem::path& file, std::string_view expected,
                                                 std::string_view bytes, OnDisk on_disk);

// Creates the directory and its missing parents.
Result<void> make_directories(const std::filesystem::path& directory);

// Returns the topmost directory that make_directories() would create; empty: it would create none.
std::filesystem::path topmost_missing(const std::filesystem::path& directory);

// Removes the directory and those above it up to `topmost`, itself or one above it, as long as they are empty.
void remove_empty_directories(std::filesystem::path directory, const std::filesystem::path& topmost);

// Removes the files of a directory that processes which have ended left there (is_of_dead_process).
void remove_dead(const std::filesystem::path& directory, std::string_view prefix, std::string_view suffix);
// The same for the temporary files of DirectoryEntry.
void remove_dead(const std::filesystem::path& directory);

}  // namespace memd::files
