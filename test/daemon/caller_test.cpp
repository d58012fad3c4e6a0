#include "daemon/cli/caller.hpp"
#include "daemon/doorstep/instance_lock.hpp"
#include "daemon/doorstep/listening_socket.hpp"
#include "daemon/service/daemon_address.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace memd::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// It holds the lock and listens, and its loop stands still: nobody ever reads what is sent.
class SilentDaemon : public testing::Test {
 protected:
  SilentDaemon() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    auto attempt = InstanceLock::attempt(data_.path());
    lock_ = std::move(*attempt->lock);
    auto socket = ListeningSocket::create(*socket_of(settings_), *lock_);
    EXPECT_TRUE(socket);
    socket_.emplace(std::move(*socket));
  }

  test::TempDir data_;
  test::TempDir home_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::optional<InstanceLock> lock_;
  std::optional<ListeningSocket> socket_;
};

TEST_F(SilentDaemon, QuestionsAreAnsweredFromTheStore) {
  const auto caller = open_caller(settings_, Need::read, 20ms);
  ASSERT_TRUE(caller) << caller.error().message();
  const auto sessions = (*caller)->tool("list_sessions", "{}");
  ASSERT_TRUE(sessions);
  EXPECT_FALSE(sessions->is_error) << sessions->text;
  const auto doctor = (*caller)->admin("doctor", "{}", {});
  ASSERT_TRUE(doctor);
  EXPECT_THAT(doctor->text, HasSubstr("does not answer"));
  EXPECT_THAT(doctor->structured, testing::StartsWith(R"({"ok":false)"));
  EXPECT_THAT((*caller)->admin("status", "{}", {})->text, HasSubstr("does not answer"));
}

TEST_F(SilentDaemon, WhatNeedsTheLockIsRefused) {
  const auto caller = open_caller(settings_, Need::ingest, 20ms);
  ASSERT_FALSE(caller);
  EXPECT_TRUE(caller.error().is(Errc::store_busy));
  EXPECT_THAT(caller.error().message(), HasSubstr("does not answer"));
}

}  // namespace
}  // namespace memd::cli
