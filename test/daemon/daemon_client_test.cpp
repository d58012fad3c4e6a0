#include "daemon/serve/daemon_client.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cerrno>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using test::TempDir;
using testing::HasSubstr;

InstanceLock take_lock(const fs::path& dir) {
  auto attempt = InstanceLock::attempt(dir);
  EXPECT_TRUE(attempt && attempt->lock);
  return std::move(*attempt->lock);
}

TEST(DaemonClient, ConnectsToWhoListens) {
  const TempDir dir;
  const InstanceLock lock = take_lock(dir.path());
  const auto socket = ListeningSocket::create(dir / "memd.sock", lock);
  ASSERT_TRUE(socket);
  EXPECT_TRUE(DaemonClient({dir.path(), dir / "memd.sock", {}, {}}).connect());
}

TEST(DaemonClient, FindsADaemonThatListensElsewhere) {
  const TempDir dir;
  const InstanceLock lock = take_lock(dir.path());
  const auto socket = ListeningSocket::create(dir / "elsewhere.sock", lock);
  ASSERT_TRUE(socket);
  ASSERT_TRUE(lock.publish(dir / "elsewhere.sock"));
  EXPECT_TRUE(DaemonClient({dir.path(), dir / "memd.sock", "/bin/false", {}}).connect());
}

TEST(DaemonClient, WithoutAProgramNobodyIsStarted) {
  const TempDir dir;
  const auto fd = DaemonClient({dir.path(), dir / "memd.sock", {}, {}}).connect();
  ASSERT_FALSE(fd);
  EXPECT_TRUE(fd.error().is(Errc::unavailable));
}

TEST(DaemonClient, ADaemonThatDiesSaysWhy) {
  const TempDir dir;
  test::write_file(dir / "memd.log", "an older line\n");
  const auto fd =
      DaemonClient({dir.path(), dir / "memd.sock", "/bin/sh", {"-c", "echo the disk is full >&2; exit 3"}}).connect();
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message(), HasSubstr("the disk is full"));
  EXPECT_THAT(fd.error().message(), Not(HasSubstr("an older line")));
}

TEST(DaemonClient, AProgramThatIsNotThereIsNamed) {
  const TempDir dir;
  const auto fd = DaemonClient({dir.path(), dir / "memd.sock", dir / "nothing", {}}).connect();
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message(), HasSubstr("cannot start " + (dir / "nothing").native()));
}

TEST(DaemonClient, GivesUpOnADaemonThatDoesNotAnswer) {
  const TempDir dir;
  const InstanceLock lock = take_lock(dir.path());
  ASSERT_TRUE(lock.publish(dir / "memd.sock"));
  const auto fd =
      DaemonClient({dir.path(), dir / "memd.sock", "/bin/false", {}}, {}, std::chrono::milliseconds(0)).connect();
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message(), HasSubstr(std::to_string(::getpid())));
}

TEST(DaemonClient, HandsTheLockToTheDaemonAndKeepsNoChild) {
  const TempDir dir;
  // The "daemon" prints its environment and exits, which releases its lock.
  const auto fd = DaemonClient({dir.path(),
                                dir / "memd.sock",
                                "/bin/sh",
                                {"-c", "echo lock=$MEMD_LOCK_FD cwd=$(pwd) fds=$(ls /proc/$$/fd | tr '\\n' ,)"}})
                      .connect();
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message(), HasSubstr("lock=3 cwd=/ fds=0,1,2,3,"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child of ours";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace memd
