#include "daemon/serve/stand_in.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace memd {
namespace {

// While it lives, this process can open only so many files more.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // Those that are free need not follow each other.
    std::vector<int> free;
    for (int i = 0; i < more; ++i)
      free.push_back(::dup(STDIN_FILENO));
    const rlimit few{static_cast<rlim_t>(free.back()) + 1, before_.rlim_max};
    for (const int descriptor : free)
      ::close(descriptor);
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

// The client would connect again each time, for as long as the command takes.
TEST(StandIn, AfterTwoFailuresTheClientIsToldWhoHoldsTheStore) {
  const test::TempDir dir;
  const Settings settings{StoreLayout(dir.path()), false, dir.path(), {}, "", {}};
  StandIn stand_in(settings);
  InstanceLock::Attempt holder;
  holder.holder = ::getpid();
  holder.command = "memd forget";
  const FewDescriptors only_for_the_socket(2);
  for (int i = 0; i < 2; ++i) {
    const auto end = stand_in.open(holder);
    ASSERT_TRUE(end) << end.error().message();
    char byte = 0;
    EXPECT_EQ(::read(end->get(), &byte, 1), 0) << "the connection ends, and this process does not";
  }
  const auto third = stand_in.open(holder);
  ASSERT_FALSE(third);
  EXPECT_TRUE(third.error().is(Errc::store_busy));
  EXPECT_NE(third.error().message().find("`memd forget`"), std::string::npos) << third.error().message();
}

}  // namespace
}  // namespace memd
