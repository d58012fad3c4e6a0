#include "daemon/serve/memory_after_burst.hpp"

#include "store/reader_pool.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using namespace std::chrono_literals;

class MemoryAfterBurstTest : public testing::Test {
 protected:
  // A request, and all that follows from it.
  void burst(std::uint64_t held) {
    held_ = held;
    memory_.on_request();
    loop_.run();
    loop_.restart();
  }

  std::uint64_t held_ = 0;
  int given_back_ = 0;
  boost::asio::io_context loop_{1};
  MemoryAfterBurst memory_{loop_,
                           {.held = [this] { return held_; },
                            .give_back =
                                [this](const std::function<void()>& done) {
                                  ++given_back_;
                                  held_ = 50 << 20;
                                  done();
                                },
                            .quiet = 1ms,
                            .worth_it = 4 << 20}};
};

TEST_F(MemoryAfterBurstTest, WhatABurstLeftIsGivenBackAndOrdinaryUseCostsNothing) {
  burst(60 << 20);
  EXPECT_EQ(given_back_, 1) << "what the start left";
  burst(53 << 20);
  EXPECT_EQ(given_back_, 1);
  burst(140 << 20);
  EXPECT_EQ(given_back_, 2);
  burst(30 << 20);  // what was needed then is not needed any more
  burst(40 << 20);
  EXPECT_EQ(given_back_, 3);
}

TEST_F(MemoryAfterBurstTest, NothingHappensAfterStop) {
  memory_.on_request();
  memory_.stop();
  loop_.run();
  burst(100 << 20);
  EXPECT_EQ(given_back_, 0);
}

TEST(ReaderPoolTest, ClosesReadersThatNobodyUsesAndMakesThemAgain) {
  const test::TempDir dir;
  ReaderPool pool(dir / "absent.db", 3);
  const auto take_all = [&] {
    std::vector<ReaderPool::Lease> leases;
    for (int i = 0; i < 3; ++i) {
      auto lease = pool.acquire(0ms);
      ASSERT_TRUE(lease);
      leases.push_back(std::move(*lease));
    }
    EXPECT_FALSE(pool.acquire(0ms));
    pool.close_idle();
    EXPECT_FALSE(pool.acquire(0ms)) << "those in use stay";
  };
  take_all();
  pool.close_idle();
  take_all();
}

}  // namespace
}  // namespace memd
