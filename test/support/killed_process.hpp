#pragma once

#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <utility>

namespace memd::test {

// Returns how often a test kills a process or damages a file: $MEMD_KILLS, else `unless_set`.
inline int wanted_kills(int unless_set) {
  const char* set = std::getenv("MEMD_KILLS");
  return set != nullptr ? std::max(std::atoi(set), 1) : unless_set;
}

// Adds a kill to the current test's property "kills", which test/fault/run.sh prints.
inline void count_kill() {
  static const testing::TestInfo* counted = nullptr;
  static int kills = 0;
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  if (std::exchange(counted, test) != test) kills = 0;
  testing::Test::RecordProperty("kills", ++kills);
}

// Returns the number of a process that has ended.
inline pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

// Runs `work` in a child process and kills it after `lifetime` if it is still running: no buffer is flushed, no stack
// unwound. Returns whether it was killed.
inline bool killed_during(const std::function<bool()>& work, std::chrono::microseconds lifetime) {
  const pid_t child = ::fork();
  if (child == 0) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(lifetime.count() / 1'000'000);
    timer.it_value.tv_usec = static_cast<suseconds_t>(lifetime.count() % 1'000'000);
    ::signal(SIGALRM, SIG_DFL);
    ::setitimer(ITIMER_REAL, &timer, nullptr);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  if (WIFSIGNALED(status)) count_kill();
  return WIFSIGNALED(status);
}

}  // namespace memd::test
