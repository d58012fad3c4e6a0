#include "daemon/cli/caller.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>
#include <string_view>

namespace memd::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A daemon that holds the lock and listens, but whose loop does not run: nothing sent to it is ever read.
class SilentDaemon : public testing::Test {
 protected:
  SilentDaemon() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    auto attempt = InstanceLock::attempt(data_.path());
    lock_ = std::move(*attempt->lock);
    listen(*socket_of(settings_));
  }
  void listen(const std::filesystem::path& path) {
    auto socket = ListeningSocket::create(path, *lock_);
    ASSERT_TRUE(socket);
    socket_.emplace(std::move(*socket));
    ASSERT_TRUE(lock_->publish(path));
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
  EXPECT_THAT(doctor->structured, HasSubstr("does not answer"));
  EXPECT_THAT(doctor->structured, testing::StartsWith(R"({"ok":false)"));
  EXPECT_THAT((*caller)->admin("status", "{}", {})->structured, HasSubstr(R"("role":"silent")"));
}

// It makes room for that of a newer program between the ping and the question.
TEST_F(SilentDaemon, OneThatGoesLeavesTheQuestionToOthers) {
  auto opening = std::async(std::launch::async, [&] { return open_caller(settings_, Need::read, 10s); });
  const int client = ::accept(socket_->fd(), nullptr, nullptr);
  ASSERT_GE(client, 0);
  std::array<char, 4096> ping;
  ASSERT_GT(::recv(client, ping.data(), ping.size(), 0), 0);
  constexpr std::string_view kPong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
  ASSERT_EQ(::send(client, kPong.data(), kPong.size(), 0), std::ssize(kPong));
  const auto caller = opening.get();
  ASSERT_TRUE(caller) << caller.error().message();
  EXPECT_TRUE((*caller)->is_daemon());
  ::close(client);
  socket_.reset();
  lock_.reset();
  const auto sessions = (*caller)->answer("list_sessions", "{}");
  ASSERT_TRUE(sessions) << sessions.error().message();
  EXPECT_FALSE(sessions->is_error) << sessions->text;
}

TEST_F(SilentDaemon, WhatNeedsTheLockIsRefused) {
  const auto caller = open_caller(settings_, Need::ingest, 20ms);
  ASSERT_FALSE(caller);
  EXPECT_TRUE(caller.error().is(Errc::store_busy));
  EXPECT_THAT(caller.error().message(), HasSubstr("does not answer"));
}

// The daemon runs as `memd --socket PATH`.
TEST_F(SilentDaemon, OnASocketOfItsOwnIsFound) {
  const auto own = data_ / "elsewhere" / "own.sock";
  socket_.reset();
  listen(own);
  auto found = connect_running(settings_);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->socket, own);
  const auto caller = open_caller(settings_, Need::read, 20ms);
  ASSERT_TRUE(caller);
  EXPECT_THAT((*caller)->admin("doctor", "{}", {})->structured, HasSubstr(own.string() + " does not answer"));
}

TEST_F(SilentDaemon, WhoListensWhereAnotherDidIsNotAsked) {
  const auto own = data_ / "elsewhere" / "own.sock";
  socket_.reset();
  listen(own);
  test::write_file(data_ / "memd.pid", "1\n" + own.string() + "\n");
  const auto found = connect_running(settings_);
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  std::filesystem::remove(data_ / "memd.pid");
  EXPECT_FALSE(*connect_running(settings_));
  EXPECT_FALSE(std::filesystem::exists(data_ / "memd.pid")) << "looking leaves nothing behind";
}

// Another process has begun to create the store, and will listen later.
TEST_F(SilentDaemon, AStoreInTheMakingIsWaitedFor) {
  socket_.reset();
  ASSERT_TRUE(lock_->publish({}));
  auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
  db.exec("PRAGMA user_version = 3");
  const auto early = open_caller(settings_, Need::read, 20ms);
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message(), HasSubstr("is making the store"));
  auto late = std::async(std::launch::async, [this] { return open_caller(settings_, Need::read, 10s).has_value(); });
  db.exec("PRAGMA user_version = 0");
  sqlite::migrate(db);
  EXPECT_TRUE(late.get());
  db.exec("PRAGMA user_version = 3");
  test::write_file(data_ / "memd.pid", "");  // no process creates it
  EXPECT_TRUE(open_caller(settings_, Need::read, 10s));
}

}  // namespace
}  // namespace memd::cli
