#include "store/files/system_calls.hpp"

#include <fcntl.h>
#include <sys/stdio.h>
#include <unistd.h>

#include <cerrno>

namespace memd::files {
namespace {

int rename_with(int directory, const char* from, int to_directory, const char* to, unsigned flags) {
  const int rc = ::renameatx_np(directory, from, to_directory, to, flags);
  if (rc != 0 && errno == ENOTSUP) errno = ENOSYS;
  return rc;
}

}  // namespace

int rename_to_free(int directory, const char* from, int to_directory, const char* to) {
  return rename_with(directory, from, to_directory, to, RENAME_EXCL);
}

int exchange(int directory, const char* one, const char* other) {
  return rename_with(directory, one, directory, other, RENAME_SWAP);
}

// fsync() alone leaves bytes in the cache of the drive. Not every file system has the call.
int sync_to_disk(int fd) { return ::fcntl(fd, F_FULLFSYNC) == 0 ? 0 : ::fsync(fd); }

timespec changed_at(const struct ::stat& st) { return st.st_mtimespec; }
timespec inode_changed_at(const struct ::stat& st) { return st.st_ctimespec; }

}  // namespace memd::files
