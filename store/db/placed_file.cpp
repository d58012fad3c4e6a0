#include "store/db/placed_file.hpp"

#include "schemas/base/error.hpp"

#include <sys/stat.h>

#include <utility>

namespace memd {

PlacedFile::PlacedFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat st {};
  if (::stat(path_.c_str(), &st) != 0) return;
  device_ = st.st_dev;
  inode_ = st.st_ino;
}

Result<void> PlacedFile::check() const {
  struct stat st {};
  if (inode_ == 0) return {};
  if (::stat(path_.c_str(), &st) != 0) return Error(Errc::io, path_.string() + " was removed while memd has it open");
  if (st.st_dev == device_ && st.st_ino == inode_) return {};
  return Error(Errc::io, path_.string() + " was replaced by another file while memd has it open");
}

}  // namespace memd
