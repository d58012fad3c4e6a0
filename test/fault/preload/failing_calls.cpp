// A library for LD_PRELOAD: functions of the C library that fail as CallFailures says, and a clock with an offset. It
// calls the kernel directly, so it does not conflict with the interceptors of sanitizers.
#include "test/fault/preload/call_failures.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

using memd::test::Call;
using memd::test::CallFailures;
using memd::test::kShort;

CallFailures* failures = nullptr;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

using SystemCall = long (*)(long, ...);
std::atomic<SystemCall> real_system_call = nullptr;

// Makes a system call and sets errno like a function of the C library. Has no local static: threads that wait for one
// to be initialised call syscall(), which calls this.
template <class... Args>
long kernel(long number, Args... args) {
  SystemCall real = real_system_call.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = next<SystemCall>("syscall");
    real_system_call.store(real, std::memory_order_relaxed);
  }
  return real(number, args...);
}

__attribute__((constructor)) void map_failures() {
  kernel(SYS_getpid);  // finds syscall()
  const char* file = std::getenv(memd::test::kCallFailuresVariable);
  if (file == nullptr) return;
  const auto fd = static_cast<int>(kernel(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC));
  if (fd < 0) return;
  void* at = reinterpret_cast<void*>(
      kernel(SYS_mmap, nullptr, sizeof(CallFailures), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L));
  kernel(SYS_close, fd);
  if (at != MAP_FAILED) failures = static_cast<CallFailures*>(at);
}

struct FileName {
  std::array<char, 512> text{};

  static FileName of(int fd) {
    FileName out;
    std::array<char, 32> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    kernel(SYS_readlink, link.data(), out.text.data(), out.text.size() - 1);
    return out;
  }
  static FileName of(int directory, const char* path) {
    FileName out;
    if (path == nullptr) return out;
    if (path[0] != '/' && directory != AT_FDCWD) {
      out = of(directory);
      const std::size_t length = std::strlen(out.text.data());
      std::snprintf(out.text.data() + length, out.text.size() - length, "/%s", path);
    } else {
      std::snprintf(out.text.data(), out.text.size(), "%s", path);
    }
    return out;
  }
  bool is_watched() const {
    return std::any_of(failures->below.begin(), failures->below.end(), [this](const auto& directory) {
      const std::size_t length = std::strlen(directory.data());
      return length > 0 && std::strncmp(text.data(), directory.data(), length) == 0;
    });
  }
};

// Counts the call. Returns 0, an errno (also stored in errno), or kShort.
int failure(Call call, const char* where) {
  const std::uint32_t number = 1 + failures->seen[static_cast<std::size_t>(call)].fetch_add(1);
  if (failures->first == 0 || call != failures->call || number < failures->first || number > failures->last) return 0;
  if (failures->failed.fetch_add(1) == 0) std::snprintf(failures->where.data(), failures->where.size(), "%s", where);
  if (failures->error > 0) errno = failures->error;
  return failures->error;
}
int failure_of(Call call) { return failures == nullptr ? 0 : failure(call, ""); }
int failure_of(Call call, int fd) {
  if (failures == nullptr) return 0;
  const FileName name = FileName::of(fd);
  return name.is_watched() ? failure(call, name.text.data()) : 0;
}
int failure_of(Call call, int directory, const char* path) {
  if (failures == nullptr) return 0;
  const FileName name = FileName::of(directory, path);
  return name.is_watched() ? failure(call, name.text.data()) : 0;
}

int open_file(int directory, const char* path, int flags, mode_t mode) {
  if (failure_of(Call::open, directory, path) != 0) return -1;
  return static_cast<int>(kernel(SYS_openat, directory, path, flags, mode));
}

mode_t mode_of(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(list, unsigned)) : 0;
}

std::size_t half(std::size_t size) { return size > 1 ? size / 2 : size; }

std::int64_t clock_offset() { return failures == nullptr ? 0 : failures->clock_offset_s.load(); }

}  // namespace

// The functions of the C library. Some have a second name for files larger than 2 GB.
#define MEMD_SAME_AS(name) __attribute__((alias(name)))

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) MEMD_SAME_AS("open");
int openat(int directory, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) MEMD_SAME_AS("openat");
int __open_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }

FILE* fopen64(const char* path, const char* mode) {
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen64");
  return failure_of(Call::open, AT_FDCWD, path) != 0 ? nullptr : real(path, mode);
}
FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen");
  return failure_of(Call::open, AT_FDCWD, path) != 0 ? nullptr : real(path, mode);
}
DIR* opendir(const char* path) {
  static const auto real = next<DIR* (*)(const char*)>("opendir");
  return failure_of(Call::open, AT_FDCWD, path) != 0 ? nullptr : real(path);
}

// memd makes openat2 and other calls through syscall().
long syscall(long number, ...) {
  std::array<long, 6> a{};
  va_list list;
  va_start(list, number);
  for (long& argument : a)
    argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_openat2 && failure_of(Call::open, static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1])) != 0)
    return -1;
  return kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int fd, void* out, size_t size) {
  const int error = failure_of(Call::read, fd);
  return error > 0 ? -1 : kernel(SYS_read, fd, out, error == kShort ? half(size) : size);
}
ssize_t pread(int fd, void* out, size_t size, off_t at) {
  const int error = failure_of(Call::read, fd);
  return error > 0 ? -1 : kernel(SYS_pread64, fd, out, error == kShort ? half(size) : size, at);
}
ssize_t pread64(int fd, void* out, size_t size, off_t at) MEMD_SAME_AS("pread");
ssize_t readv(int fd, const iovec* parts, int count) {
  return failure_of(Call::read, fd) > 0 ? -1 : kernel(SYS_readv, fd, parts, count);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  const int error = failure_of(Call::write, fd);
  return error > 0 ? -1 : kernel(SYS_write, fd, bytes, error == kShort ? half(size) : size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  const int error = failure_of(Call::write, fd);
  return error > 0 ? -1 : kernel(SYS_pwrite64, fd, bytes, error == kShort ? half(size) : size, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off_t at) MEMD_SAME_AS("pwrite");
ssize_t writev(int fd, const iovec* parts, int count) {
  const int error = failure_of(Call::write, fd);
  return error > 0 ? -1 : kernel(SYS_writev, fd, parts, error == kShort ? 1 : count);
}

int fsync(int fd) { return failure_of(Call::sync, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_fsync, fd)); }
int fdatasync(int fd) { return failure_of(Call::sync, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_fdatasync, fd)); }
int ftruncate(int fd, off_t size) {
  return failure_of(Call::truncate, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_ftruncate, fd, size));
}
int ftruncate64(int fd, off_t size) MEMD_SAME_AS("ftruncate");
int posix_fallocate(int fd, off_t at, off_t size) {
  const int error = failure_of(Call::truncate, fd);
  if (error > 0) return error;
  return kernel(SYS_fallocate, fd, 0, at, size) == 0 ? 0 : errno;
}
int posix_fallocate64(int fd, off_t at, off_t size) MEMD_SAME_AS("posix_fallocate");

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  if (failure_of(Call::rename, to_directory, to) > 0) return -1;
  return static_cast<int>(kernel(SYS_renameat2, from_directory, from, to_directory, to, flags));
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return renameat2(from_directory, from, to_directory, to, 0);
}
int rename(const char* from, const char* to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int link(const char* from, const char* to) {
  if (failure_of(Call::rename, AT_FDCWD, to) > 0) return -1;
  return static_cast<int>(kernel(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlinkat(int directory, const char* path, int flags) {
  if (failure_of(Call::unlink, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_unlinkat, directory, path, flags));
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  if (unlinkat(AT_FDCWD, path, 0) == 0) return 0;
  return errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : -1;
}
int mkdirat(int directory, const char* path, mode_t mode) {
  if (failure_of(Call::mkdir, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_mkdirat, directory, path, mode));
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

void* mmap(void* where, size_t size, int protection, int flags, int fd, off_t at) {
  if (fd >= 0 && failure_of(Call::map, fd) > 0) return MAP_FAILED;
  return reinterpret_cast<void*>(kernel(SYS_mmap, where, size, protection, flags, fd, at));
}
void* mmap64(void* where, size_t size, int protection, int flags, int fd, off_t at) MEMD_SAME_AS("mmap");

int fstatat(int directory, const char* path, struct stat* out, int flags) {
  if (failure_of(Call::stat, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_newfstatat, directory, path, out, flags));
}
int fstatat64(int directory, const char* path, struct stat64* out, int flags) MEMD_SAME_AS("fstatat");
int stat(const char* path, struct stat* out) { return fstatat(AT_FDCWD, path, out, 0); }
int stat64(const char* path, struct stat64* out) MEMD_SAME_AS("stat");
int lstat(const char* path, struct stat* out) { return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
int lstat64(const char* path, struct stat64* out) MEMD_SAME_AS("lstat");
int fstat(int fd, struct stat* out) {
  return failure_of(Call::stat, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_fstat, fd, out));
}
int fstat64(int fd, struct stat64* out) MEMD_SAME_AS("fstat");
int statx(int directory, const char* path, int flags, unsigned mask, struct statx* out) {
  if (failure_of(Call::stat, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_statx, directory, path, flags, mask, out));
}

int access(const char* path, int mode) {
  if (failure_of(Call::stat, AT_FDCWD, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_faccessat, AT_FDCWD, path, mode));
}
ssize_t readlink(const char* path, char* out, size_t size) {
  if (failure_of(Call::stat, AT_FDCWD, path) > 0) return -1;
  return kernel(SYS_readlinkat, AT_FDCWD, path, out, size);
}
int statvfs(const char* path, struct statvfs* out) {
  static const auto real = next<int (*)(const char*, struct statvfs*)>("statvfs");
  return failure_of(Call::stat, AT_FDCWD, path) > 0 ? -1 : real(path, out);
}
int statfs(const char* path, struct statfs* out) {
  if (failure_of(Call::stat, AT_FDCWD, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_statfs, path, out));
}
int statfs64(const char* path, struct statfs64* out) MEMD_SAME_AS("statfs");
int fchmod(int fd, mode_t mode) {
  return failure_of(Call::stat, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_fchmod, fd, mode));
}
int fchown(int fd, uid_t user, gid_t group) {
  return failure_of(Call::stat, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_fchown, fd, user, group));
}
int fchmodat(int directory, const char* path, mode_t mode, int) {
  if (failure_of(Call::stat, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_fchmodat, directory, path, mode));
}
int chmod(const char* path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }
int utimensat(int directory, const char* path, const timespec* times, int flags) {
  if (failure_of(Call::stat, directory, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_utimensat, directory, path, times, flags));
}
dirent* readdir(DIR* directory) {
  static const auto real = next<dirent* (*)(DIR*)>("readdir");
  return failure_of(Call::read, ::dirfd(directory)) > 0 ? nullptr : real(directory);
}
dirent64* readdir64(DIR* directory) {
  static const auto real = next<dirent64* (*)(DIR*)>("readdir64");
  return failure_of(Call::read, ::dirfd(directory)) > 0 ? nullptr : real(directory);
}

int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  // Releasing a lock on a local file does not fail.
  const bool locks = (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) &&
                     reinterpret_cast<const struct flock*>(argument)->l_type != F_UNLCK;
  if (locks && failure_of(Call::lock, fd) > 0) return -1;
  return static_cast<int>(kernel(SYS_fcntl, fd, command, argument));
}
int fcntl64(int fd, int command, ...) MEMD_SAME_AS("fcntl");
int flock(int fd, int operation) {
  return failure_of(Call::lock, fd) > 0 ? -1 : static_cast<int>(kernel(SYS_flock, fd, operation));
}

int socket(int domain, int type, int protocol) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_socket, domain, type, protocol));
}
int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_accept4, fd, address, size, flags));
}
int accept(int fd, sockaddr* address, socklen_t* size) { return accept4(fd, address, size, 0); }
int epoll_create1(int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_epoll_create1, flags));
}
int eventfd(unsigned initial, int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_eventfd2, initial, flags));
}
int timerfd_create(clockid_t clock, int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_timerfd_create, clock, flags));
}
int inotify_init1(int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_inotify_init1, flags));
}
int pipe2(int* ends, int flags) {
  return failure_of(Call::descriptor) > 0 ? -1 : static_cast<int>(kernel(SYS_pipe2, ends, flags));
}
int pipe(int* ends) { return pipe2(ends, 0); }
int inotify_add_watch(int fd, const char* path, uint32_t mask) {
  if (failure_of(Call::watch, AT_FDCWD, path) > 0) return -1;
  return static_cast<int>(kernel(SYS_inotify_add_watch, fd, path, mask));
}
int bind(int fd, const sockaddr* address, socklen_t size) {
  return failure_of(Call::listen) > 0 ? -1 : static_cast<int>(kernel(SYS_bind, fd, address, size));
}
int connect(int fd, const sockaddr* address, socklen_t size) {
  return failure_of(Call::listen) > 0 ? -1 : static_cast<int>(kernel(SYS_connect, fd, address, size));
}
int listen(int fd, int backlog) {
  return failure_of(Call::listen) > 0 ? -1 : static_cast<int>(kernel(SYS_listen, fd, backlog));
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  static const auto real = next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const int error = failure_of(Call::thread);
  return error > 0 ? error : real(thread, attributes, run, argument);
}

int clock_gettime(clockid_t clock, timespec* out) {
  const SystemCall real = real_system_call.load(std::memory_order_relaxed);
  *out = {};
  if (real == nullptr)
    return 0;  // a sanitizer's allocator, perhaps on behalf of dlsym, before anything else has started
  const int done = static_cast<int>(real(SYS_clock_gettime, clock, out));
  if (clock == CLOCK_REALTIME) out->tv_sec += clock_offset();
  return done;
}
int gettimeofday(timeval* out, void* zone) {
  static const auto real = next<int (*)(timeval*, void*)>("gettimeofday");
  const int done = real(out, zone);
  out->tv_sec += clock_offset();
  return done;
}
int usleep(useconds_t us) {
  if (failures != nullptr && failures->skips_sleep != 0) {
    failures->slept_us += us;
    thread_local std::uint64_t slept = 0;
    slept += us;
    std::uint64_t longest = failures->longest_sleep_us;
    while (slept > longest && !failures->longest_sleep_us.compare_exchange_weak(longest, slept)) {
    }
    return 0;
  }
  const timespec wanted{us / 1'000'000, static_cast<long>(us % 1'000'000) * 1000};
  return static_cast<int>(kernel(SYS_nanosleep, &wanted, nullptr));
}
time_t time(time_t* out) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
