#pragma once

#include "schemas/base/error.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

namespace memd {

// An open file and its location at the time of construction, used to detect that it was moved or replaced. A value;
// accesses the file system only in its constructor and in check(). Thread-safe.
class PlacedFile {
 public:
  PlacedFile() = default;  // no file: check() always succeeds
  explicit PlacedFile(std::filesystem::path path) : path_(std::move(path)) {
    struct stat st {};
    if (::stat(path_.c_str(), &st) != 0) return;
    device_ = st.st_dev;
    inode_ = st.st_ino;
  }

  // Errc::io when the file was removed, moved or replaced: data written to it is lost when it is closed.
  Result<void> check() const {
    struct stat st {};
    if (inode_ == 0) return {};
    if (::stat(path_.c_str(), &st) != 0) return Error(Errc::io, path_.string() + " was removed while memd has it open");
    if (st.st_dev == device_ && st.st_ino == inode_) return {};
    return Error(Errc::io, path_.string() + " was replaced by another file while memd has it open");
  }

 private:
  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memd
