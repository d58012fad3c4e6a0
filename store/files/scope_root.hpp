#pragma once

#include "schemas/base/result.hpp"
#include "store/files/directory_entry.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::files {

inline constexpr std::size_t kMostTextBytes = std::size_t{4} << 20;    // of a memory, of instructions, of a small file
inline constexpr std::size_t kMostIndexBytes = std::size_t{64} << 20;  // of what memd writes about many memories

// The door to the files of a repository or of a scope of memories. Nothing else opens one (test/layering). A scope is a
// directory: `below` of `base`. The user chose `base`, so its own links are followed. No link below it leads out, no
// replacement of a directory meanwhile either: of `base` on the way to the directory, of the directory on the way to a
// file. Only regular files of limited size are read, and nothing waits for a FIFO or a device. Names are absolute paths
// in the directory, or relative to it. Writing makes missing directories and follows no link in place of the file. For
// the rest see DirectoryEntry. A value; thread-safe.
class ScopeRoot {
 public:
  // What a link in place of a file may lead to. `inside`: to a file of the scope. `of_user`: besides, to a file of the
  // user that memd runs as, for files that the user alone names, such as ~/.claude/CLAUDE.md.
  enum class Links : std::uint8_t { inside, of_user };

  static constexpr int kMostDepth = 6;  // levels of directories that are listed

  ScopeRoot() = default;  // contains nothing
  explicit ScopeRoot(std::filesystem::path base, const std::filesystem::path& below = {}, Links links = Links::inside);

  const std::filesystem::path& directory() const;

  // Errc::not_found; Errc::permission: a link leads out; Errc::io: no regular file, or one of more than `most` bytes.
  Result<std::string> read(const std::filesystem::path& file, std::size_t most = kMostTextBytes) const;
  // nullopt: there is no regular file that read() would open.
  std::optional<FileFacts> facts(const std::filesystem::path& file) const;
  // Returns whether the name is taken, be it by a link that leads nowhere. False if the way to it leads out.
  bool has(const std::filesystem::path& file) const;
  // Returns whether there is anything that may be meant as a file: everything but a directory.
  bool has_file(const std::filesystem::path& file) const;
  bool has_directory(const std::filesystem::path& directory) const;

  // Returns the names in a directory that end so, sorted; also those of directories.
  std::vector<std::string> names(const std::filesystem::path& directory, std::string_view ending = {}) const;
  // Returns the paths of the files whose names end so, in the directory and in up to `depth` - 1 levels below, sorted
  // by bytes. Skips hidden names and linked directories. Whatever is no directory is listed, so that read() says what
  // is wrong with it.
  std::vector<std::filesystem::path> files(const std::filesystem::path& directory, std::string_view ending,
                                           int depth) const;
  // Returns the directory and those below it, without hidden and linked ones. Empty if it is not in the scope.
  std::vector<std::filesystem::path> directories(const std::filesystem::path& directory) const;

  Result<void> write(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk) const;
  Result<void> write(const std::filesystem::path& file, std::span<const std::string_view> pieces, OnDisk on_disk) const;
  Result<void> create(const std::filesystem::path& file, std::string_view bytes, OnDisk on_disk) const;
  Result<std::optional<std::string>> replace(const std::filesystem::path& file, std::string_view expected,
                                             std::string_view bytes, OnDisk on_disk) const;
  Result<void> move(const std::filesystem::path& from, const std::filesystem::path& to, OnDisk on_disk) const;
  Result<void> remove(const std::filesystem::path& file) const;
  Result<FileLock> lock(const std::filesystem::path& file) const;
  // Removes the temporary files of killed writers, in hidden directories too.
  void tidy() const;

 private:
  struct Way {
    std::filesystem::path base;
    std::filesystem::path below;
    std::filesystem::path directory;
    Links links = Links::inside;
  };
  enum class Missing { refuse, make };

  std::optional<std::filesystem::path> inside(const std::filesystem::path& path) const;
  Error refused(const std::filesystem::path& path) const;
  Result<UniqueFd> open(const std::filesystem::path& relative, int flags) const;
  Result<UniqueFd> open_directory(const std::filesystem::path& relative, Missing missing) const;
  Result<UniqueFd> open_to_read(const std::filesystem::path& file) const;
  Result<DirectoryEntry> entry(const std::filesystem::path& file, Missing missing) const;
  std::optional<struct stat> look(const std::filesystem::path& file) const;
  template <class Take>
  void walk(const std::filesystem::path& in, int depth, Take take) const;

  std::shared_ptr<const Way> way_;
};

}  // namespace memd::files
