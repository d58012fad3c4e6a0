#pragma once

#include "schemas/error.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

namespace memd {

// A file that somebody has open, and the place where it stood then. A value: touches the file system in its constructor
// and in check() only. Thread-safe.
class PlacedFile {
 public:
  PlacedFile() = default;  // of no file: check() has nothing against it
  explicit PlacedFile(std::filesystem::path path) : path_(std::move(path)) {
    struct stat st {};
    if (::stat(path_.c_str(), &st) != 0) return;
    device_ = st.st_dev;
    inode_ = st.st_ino;
  }

  // Errc::io: it was removed, moved, or replaced. What is written to it is lost when it is closed.
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
