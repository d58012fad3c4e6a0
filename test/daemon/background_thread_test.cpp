#include "daemon/background_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <semaphore>
#include <stop_token>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using Hints = BackgroundThread::Hints;

// A thread whose rounds wait for the test, which decides what each returns.
class BackgroundThreadTest : public testing::Test {
 protected:
  ~BackgroundThreadTest() override {
    thread_.stop();
    may_end_.release(1000);
  }
  void start() { thread_.start(false); }
  void let_begin() { began_.acquire(); }
  void end_round(BackgroundThread::Next next = {}) {
    next_ = next;
    may_end_.release();
  }
  bool is_idle() { return thread_.block_until_idle(0ms); }
  void block_until_idle() { ASSERT_TRUE(thread_.block_until_idle(60s)); }
  int rounds() const { return rounds_; }

 private:
  std::counting_semaphore<> began_{0};
  std::counting_semaphore<> may_end_{0};
  std::atomic<int> rounds_ = 0;
  BackgroundThread::Next next_;  // of the round that ends next

 protected:
  BackgroundThread thread_{"memd-test", [this](const std::stop_token&) {
                             ++rounds_;
                             began_.release();
                             may_end_.acquire();
                             return next_;
                           }};
};

TEST_F(BackgroundThreadTest, BeginsWithARoundAndSleepsUntilItIsHinted) {
  start();
  let_begin();
  EXPECT_TRUE(thread_.is_working());
  EXPECT_FALSE(is_idle());
  end_round();
  block_until_idle();
  EXPECT_FALSE(thread_.is_working());
  thread_.hint();
  EXPECT_FALSE(is_idle()) << "at once, not when the thread wakes";
  let_begin();
  end_round();
  block_until_idle();
  EXPECT_EQ(rounds(), 2);
}

TEST_F(BackgroundThreadTest, AHintDuringARoundBeginsOneMore) {
  start();
  let_begin();
  thread_.hint();
  thread_.hint();
  end_round();
  let_begin();
  end_round();
  block_until_idle();
  EXPECT_EQ(rounds(), 2);
}

TEST_F(BackgroundThreadTest, ARoundNamesTheTimeOfTheNext) {
  start();
  let_begin();
  end_round({BackgroundThread::Time::clock::now() + 1ms});
  let_begin();
  end_round({BackgroundThread::Time::clock::now() + 1h});
  block_until_idle();
  thread_.hint();
  let_begin();
  end_round();
  block_until_idle();
  EXPECT_EQ(rounds(), 3);
}

TEST_F(BackgroundThreadTest, ARoundMayForgetTheHintsReceivedMeanwhile) {
  start();
  let_begin();
  thread_.hint();
  end_round({BackgroundThread::Time::clock::now() + 1h, Hints::forget_earlier});
  block_until_idle();
  EXPECT_EQ(rounds(), 1);
  thread_.hint();
  let_begin();
  end_round();
  block_until_idle();
}

TEST_F(BackgroundThreadTest, ARoundMayRefuseHintsUntilItsTime) {
  start();
  let_begin();
  end_round({BackgroundThread::Time::clock::now() + 1h, Hints::ignore});
  block_until_idle();
  thread_.hint();
  EXPECT_EQ(rounds(), 1);
  thread_.stop();
  thread_.join();
  EXPECT_EQ(rounds(), 1);
}

// A signal that it took would be lost while one service ends and the next begins.
TEST(BackgroundThread, TakesNoSignalThatEndsTheProcess) {
  sigset_t blocked;
  sigemptyset(&blocked);
  BackgroundThread thread("memd-test", [&](const std::stop_token&) {
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    return BackgroundThread::Next();
  });
  thread.start(false);
  ASSERT_TRUE(thread.block_until_idle(60s));
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
}

}  // namespace
}  // namespace memd::test
