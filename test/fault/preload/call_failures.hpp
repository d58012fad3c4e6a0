#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memd::test {

// An operation that can be made to fail. Each value covers all functions of the C library for that operation.
enum class Call : std::uint8_t {
  open,
  read,
  write,
  sync,
  truncate,
  rename,
  unlink,
  mkdir,
  map,
  stat,
  lock,
  descriptor,  // sockets, epoll, events, timers, pipes, inotify
  watch,
  listen,
  thread,
};
inline constexpr std::size_t kCalls = 15;
inline constexpr std::array<const char*, kCalls> kCallNames = {"open",   "read",       "write", "sync",   "truncate",
                                                               "rename", "unlink",     "mkdir", "map",    "stat",
                                                               "lock",   "descriptor", "watch", "listen", "thread"};

// Used instead of an errno: the call processes half of its bytes, which is no failure.
inline constexpr int kShort = -1;

// The errors to inject, by operation.
inline constexpr std::array<std::array<int, 4>, kCalls> kErrors = {{
    {EMFILE, EACCES, EIO, EINTR},
    {EIO, EINTR, kShort, EIO},
    {ENOSPC, EIO, EINTR, kShort},
    {EIO, ENOSPC, EINTR, EIO},
    {EIO, ENOSPC, EINTR, EIO},
    {EIO, ENOSPC, EACCES, EIO},
    {EIO, EACCES, EIO, EACCES},
    {ENOSPC, EACCES, EIO, ENOSPC},
    {ENOMEM, ENOMEM, ENOMEM, ENOMEM},
    {EIO, EACCES, EIO, EACCES},
    {ENOLCK, EIO, EINTR, ENOLCK},
    {EMFILE, ENFILE, ENOMEM, EMFILE},
    {ENOSPC, ENOMEM, EACCES, ENOSPC},
    {EACCES, EADDRINUSE, ENOMEM, EACCES},
    {EAGAIN, EAGAIN, EAGAIN, EAGAIN},
}};

// Shared through a file that the test and the program with the preloaded library both map ($MEMD_CALL_FAILURES is its
// path). If all bytes are zero, calls are counted and none fails. The test writes the members up to `last` before the
// program starts; the clock offset may change at any time.
struct CallFailures {
  std::array<std::array<char, 256>, 2> below;  // calls on files count only below these directories
  Call call;
  int error;            // an errno, or kShort
  std::uint32_t first;  // calls first to last fail, counted from 1; first = 0: none
  std::uint32_t last;
  std::atomic<std::int64_t> clock_offset_s;

  std::array<std::atomic<std::uint32_t>, kCalls> seen;
  std::atomic<std::uint32_t> failed;
  std::array<char, 256> where;  // the file of the first failed call

  std::uint8_t skips_sleep;                     // 1: usleep(), which SQLite uses to wait for locks, returns at once
  std::atomic<std::uint64_t> slept_us;          // total time requested of those calls, over all threads
  std::atomic<std::uint64_t> longest_sleep_us;  // total time that one thread requested of those calls: the longest one
};
static_assert(offsetof(CallFailures, clock_offset_s) == 528 && sizeof(CallFailures) == 880, "soak.py writes it");
inline constexpr const char* kCallFailuresVariable = "MEMD_CALL_FAILURES";

}  // namespace memd::test
