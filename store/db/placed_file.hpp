#pragma once

#include "schemas/base/result.hpp"

#include <sys/types.h>

#include <filesystem>

namespace memd {

// An open file and its location at the time of construction, used to detect that it was moved or replaced. A value;
// accesses the file system only in its constructor and in check(). Thread-safe.
class PlacedFile {
 public:
  PlacedFile() = default;  // no file: check() always succeeds
  explicit PlacedFile(std::filesystem::path path);

  // Errc::io when the file was removed, moved or replaced: data written to it is lost when it is closed.
  Result<void> check() const;

 private:
  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memd
