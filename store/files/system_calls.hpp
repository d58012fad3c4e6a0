#pragma once

#include <sys/stat.h>

#include <ctime>

// What systems do by different calls. Any thread. The functions with an int return 0, or -1 and set errno.
namespace memd::files {

// Renames unless the new name is taken (EEXIST). ENOSYS or EINVAL: the file system cannot.
int rename_to_free(int directory, const char* from, int to_directory, const char* to);
// Swaps two names of a directory in one step. ENOSYS or EINVAL: the file system cannot.
int exchange(int directory, const char* one, const char* other);
// What was written to a file or directory survives a loss of power.
int sync_to_disk(int fd);

timespec changed_at(const struct ::stat& st);
timespec inode_changed_at(const struct ::stat& st);

}  // namespace memd::files
