#pragma once

#include "adapters/file_view.hpp"
#include "schemas/error.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace memd {

struct FileStat {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  TimeMs mtime = 0;
};

// A file of an agent, opened for reading only. Owns the descriptor. Reads do not move a shared position; const members
// are thread-safe.
class SourceFile {
 public:
  // Errc::not_found if it is not there, Errc::io otherwise.
  static Result<SourceFile> open(const std::filesystem::path& path);
  ~SourceFile();
  SourceFile(SourceFile&& other) noexcept;
  SourceFile& operator=(SourceFile&&) = delete;

  // The same open file: nothing is looked up again.
  Result<SourceFile> duplicate() const;

  const FileStat& stat() const { return stat_; }  // at open
  // Reads up to into.size() bytes at `offset`; less only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const;
  // Hash of the first `length` bytes.
  Result<std::uint64_t> hash_head(std::uint32_t length) const;

 private:
  SourceFile(int fd, FileStat stat, std::string path) : fd_(fd), stat_(stat), path_(std::move(path)) {}
  int fd_;
  FileStat stat_;
  std::string path_;
};

// The real file system. Follows symbolic links to files. Stateless, thread-safe.
class DiskView : public FileView {
 public:
  std::optional<Entry> stat(const std::string& path) const override;
  Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                           std::uint64_t length = kAll) const override;
  std::vector<Entry> list(const std::string& directory) const override;
};

}  // namespace memd
