#include "daemon/serve/worker_pool.hpp"

#include <gtest/gtest.h>

#include <future>

namespace memd {
namespace {

TEST(WorkerPool, AnotherThreadWorksBesideOneThatIsHeld) {
  std::promise<void> release;
  std::promise<void> began;
  std::promise<void> done;
  WorkerPool pool(1);
  pool.post([&, until = release.get_future().share()] {
    began.set_value();
    until.wait();
  });
  began.get_future().wait();
  pool.post([&] { done.set_value(); });
  pool.add();
  pool.add();  // twice as many as at first are the most
  done.get_future().wait();
  release.set_value();
}

}  // namespace
}  // namespace memd
