#include "store/files/system_calls.hpp"

#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memd::files {
namespace {

int rename_with(int directory, const char* from, int to_directory, const char* to, unsigned flags) {
  return static_cast<int>(::syscall(SYS_renameat2, directory, from, to_directory, to, flags));  // musl has no function
}

}  // namespace

int rename_to_free(int directory, const char* from, int to_directory, const char* to) {
  return rename_with(directory, from, to_directory, to, RENAME_NOREPLACE);
}

int exchange(int directory, const char* one, const char* other) {
  return rename_with(directory, one, directory, other, RENAME_EXCHANGE);
}

int sync_to_disk(int fd) { return ::fsync(fd); }

timespec changed_at(const struct ::stat& st) { return st.st_mtim; }
timespec inode_changed_at(const struct ::stat& st) { return st.st_ctim; }

}  // namespace memd::files
