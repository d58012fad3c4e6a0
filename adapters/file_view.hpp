#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// The file system as adapters see it, for reading only. Tests put a failing or a changing one in its place.
// Thread-safe.
class FileView {
 public:
  struct Entry {
    std::string path;  // absolute
    bool is_directory = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;  // bytes
    TimeMs mtime = 0;
    std::int64_t mtime_ns = 0;  // tells two writes within a millisecond apart
  };
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  virtual ~FileView() = default;
  virtual std::optional<Entry> stat(const std::string& path) const = 0;
  // Up to `length` bytes from `offset`. Errc::not_found, Errc::io, Errc::permission.
  virtual Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                                   std::uint64_t length = kAll) const = 0;
  virtual std::vector<Entry> list(const std::string& directory) const = 0;  // by name; empty if it is not there
};

}  // namespace memd
