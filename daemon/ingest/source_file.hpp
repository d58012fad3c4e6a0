#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memd {

struct FileStat {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  TimeMs mtime = 0;
  std::int64_t changed_ns = 0;  // last change of contents or attributes (ctime), which programs cannot set
};

// Returns whether a path below an agent's own root may be read although links lead out of the root: what they lead to
// is a regular file or a directory of the user to whom the root belongs, and nobody else made the links.
bool leads_to_own(const std::filesystem::path& root, const std::filesystem::path& path);

// The root directories of agents' files. Opens files below a root. Links inside the root are followed. Links that lead
// out of it are followed only below `own` roots, and only as leads_to_own() allows. The root itself may be a link.
// Constant after construction; thread-safe.
class SourceRoots {
 public:
  SourceRoots() = default;  // no roots: a file that is itself a link is not opened
  explicit SourceRoots(std::vector<std::filesystem::path> roots, std::set<std::filesystem::path> own = {})
      : roots_(std::move(roots)), own_(std::move(own)) {}

  bool is_empty() const { return roots_.empty(); }

  // Opens as open(2) does. A file below no root, named by the user, is opened by its path. Errc::not_found, Errc::io.
  Result<UniqueFd> open(const std::filesystem::path& path, int flags) const;

 private:
  std::vector<std::filesystem::path> roots_;
  std::set<std::filesystem::path> own_;
};

// A file of an agent, opened for reading only. Owns the descriptor. Reads do not move a shared position; const members
// are thread-safe.
class SourceFile {
 public:
  // Errors as for SourceRoots::open.
  static Result<SourceFile> open(const std::filesystem::path& path, const SourceRoots& roots = {});
  SourceFile(SourceFile&&) noexcept = default;
  SourceFile& operator=(SourceFile&&) = delete;

  // Returns another handle of the same open file, without a path look-up.
  Result<SourceFile> duplicate() const;

  const FileStat& stat() const { return stat_; }  // at open
  // Reads up to into.size() bytes at `offset`, fewer only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const;
  // Returns the hash of the first `length` bytes.
  Result<std::uint64_t> hash_head(std::uint32_t length) const;

 private:
  SourceFile(UniqueFd fd, FileStat stat, std::string path) : fd_(std::move(fd)), stat_(stat), path_(std::move(path)) {}
  UniqueFd fd_;
  FileStat stat_;
  std::string path_;
};

// The real file system. Follows symbolic links as SourceRoots allows; the target of any other link counts as absent.
// Thread-safe.
class DiskView : public FileView {
 public:
  explicit DiskView(SourceRoots roots = {}) : roots_(std::move(roots)) {}
  std::optional<Entry> stat(const std::string& path) const override;
  Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                           std::uint64_t length = kAll) const override;
  std::vector<Entry> list(const std::string& directory) const override;

 private:
  SourceRoots roots_;
};

// The result of stat() for a path.
struct PathStat {
  int error = 0;  // errno; for a directory also when it cannot be listed or entered
  bool is_directory = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};
using StatPath = std::function<PathStat(const std::filesystem::path&)>;
PathStat stat_path(const std::filesystem::path& path);

struct Verdict {
  SourceState state = SourceState::active;  // active: it exists but cannot be read
  std::string reason;                       // in plain words
};

// Judges by its surroundings why a source could not be read. A missing file is `gone` if its root and the directories
// on the way can be listed and are on the same file system as before. Otherwise it is `unreachable`, and nothing is
// concluded from its absence.
//   `root`          the root that it was found under
//   `is_same_place` whether another known source below a directory still exists. The file system is then the same
//                   one, whatever its device number (numbers change with a restart)
Verdict judge_absence(const Source& source, const Error& error, const std::filesystem::path& root, const StatPath& look,
                      const std::function<bool(const std::filesystem::path& directory)>& is_same_place);

}  // namespace memd
