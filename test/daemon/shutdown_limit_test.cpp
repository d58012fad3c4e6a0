#include "daemon/serve/shutdown_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace memd {
namespace {

using namespace std::chrono_literals;

// Simulates a worker in an endless search that cannot be cancelled.
[[noreturn]] void wait_for_ever() {
  const ShutdownLimit limit(20ms, "workers");
  std::promise<void> never;
  never.get_future().wait();
  std::abort();
}

TEST(ShutdownLimit, LeavesWithoutAWorkerThatDoesNotEnd) {
  EXPECT_EXIT(wait_for_ever(), testing::ExitedWithCode(1), "");
}

TEST(ShutdownLimit, IsNotInTheWayOfOneThatEnds) { const ShutdownLimit limit(1h, "workers"); }

}  // namespace
}  // namespace memd
