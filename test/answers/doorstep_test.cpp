#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <functional>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using test::TempDir;
using testing::HasSubstr;

InstanceLock doorstep_take_lock(const fs::path& dir) {
  auto attempt = InstanceLock::attempt(dir);
  EXPECT_TRUE(attempt && attempt->lock);
  return std::move(*attempt->lock);
}

std::string socket_path(const SocketPathInputs& in) {
  const auto path = find_socket_path(in);
  return path ? path->native() : path.error().message();
}

TEST(SocketPath, LooksInTheRightOrder) {
  const TempDir dir;
  const fs::path run = dir / "run";
  const fs::path runtime = dir / "xdg";
  SocketPathInputs in;
  in.data_dir = dir / "data";
  in.run_user_root = run;
  EXPECT_EQ(socket_path(in), (dir / "data/memd.sock").native());
  fs::create_directories(run / std::to_string(::geteuid()));
  EXPECT_EQ(socket_path(in), (run / std::to_string(::geteuid()) / "memd/memd.sock").native());
  in.xdg_runtime_dir = runtime.native();
  EXPECT_EQ(socket_path(in), (run / std::to_string(::geteuid()) / "memd/memd.sock").native()) << "it does not exist";
  fs::create_directories(runtime);
  EXPECT_EQ(socket_path(in), (runtime / "memd/memd.sock").native());
  in.data_dir_is_default = false;
  EXPECT_EQ(socket_path(in), (dir / "data/memd.sock").native());
  in.chosen = "/a/b.sock";
  EXPECT_EQ(socket_path(in), "/a/b.sock");
}

TEST(SocketPath, RefusesWhatASocketCannotHold) {
  SocketPathInputs in;
  in.chosen = "/" + std::string(200, 'x');
  EXPECT_THAT(socket_path(in), HasSubstr("choose a shorter"));
}

TEST(StateDirectory, IsMadePrivate) {
  const TempDir dir;
  ASSERT_TRUE(open_state_directory(dir / "a/b/c"));
  ASSERT_TRUE(open_state_directory(dir / "a/b/c/"));
  for (const auto* path : {"a", "a/b", "a/b/c"}) {
    struct stat st {};
    ASSERT_EQ(::stat((dir / path).c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777U, 0700U) << path;
  }
}

TEST(StateDirectory, IsRefusedWhenOthersCanWrite) {
  const TempDir dir;
  for (const mode_t mode : {0770, 0707, 0777}) {
    fs::create_directories(dir / "d");
    ::chmod((dir / "d").c_str(), mode);
    const auto fd = open_state_directory(dir / "d");
    ASSERT_FALSE(fd) << mode;
    EXPECT_TRUE(fd.error().is(Errc::permission));
    EXPECT_THAT(fd.error().message(), HasSubstr("chmod 700"));
  }
  ::chmod((dir / "d").c_str(), 0755);
  EXPECT_TRUE(open_state_directory(dir / "d")) << "reading is for the files to refuse";
  test::write_file(dir / "file", "x");
  EXPECT_FALSE(open_state_directory(dir / "file"));
}

TEST(StateDirectory, IsRefusedWhenItIsSomebodyElses) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const TempDir dir;
  fs::create_directories(dir / "d");
  ASSERT_EQ(::chown((dir / "d").c_str(), 12345, 12345), 0);
  const auto fd = open_state_directory(dir / "d");
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message(), HasSubstr("belongs to user 12345"));
}

TEST(InstanceLock, IsExclusiveAndSaysWhoHasIt) {
  const TempDir dir;
  {
    const InstanceLock lock = doorstep_take_lock(dir.path());
    ASSERT_TRUE(lock.publish("/run/memd.sock"));
    const auto second = InstanceLock::attempt(dir.path());
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->lock);
    EXPECT_EQ(second->holder, ::getpid());
    EXPECT_EQ(second->socket, "/run/memd.sock");
  }
  const InstanceLock again = doorstep_take_lock(dir.path());
}

TEST(InstanceLock, AStaleFileBlocksNobody) {
  const TempDir dir;
  test::write_file(dir / "memd.pid", "1\n/somewhere\n");
  const InstanceLock lock = doorstep_take_lock(dir.path());
  const auto second = InstanceLock::attempt(dir.path());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->holder, 0) << "who had it before is no news";
}

TEST(InstanceLock, IsTakenOverFromTheStarter) {
  const TempDir dir;
  const InstanceLock starter = doorstep_take_lock(dir.path());
  const int handed = ::dup(starter.fd());
  ::setenv(kLockFdVariable, std::to_string(handed).c_str(), 1);
  {
    const InstanceLock daemon = doorstep_take_lock(dir.path());
    EXPECT_EQ(daemon.fd(), handed);
  }
  EXPECT_EQ(::getenv(kLockFdVariable), nullptr);
}

TEST(InstanceLock, AForeignDescriptorIsNoLock) {
  const TempDir dir;
  const InstanceLock holder = doorstep_take_lock(dir.path());
  const int null = ::open("/dev/null", O_RDONLY);
  ::setenv(kLockFdVariable, std::to_string(null).c_str(), 1);
  const auto attempt = InstanceLock::attempt(dir.path());
  ASSERT_TRUE(attempt);
  EXPECT_FALSE(attempt->lock);
  EXPECT_EQ(::close(null), 0) << "and it is left alone";
}

TEST(ListeningSocket, IsPrivateAndRemovedAtTheEnd) {
  const TempDir dir;
  const InstanceLock lock = doorstep_take_lock(dir.path());
  const fs::path path = dir / "run/memd.sock";
  {
    const auto socket = ListeningSocket::create(path, lock);
    ASSERT_TRUE(socket) << socket.error().message();
    struct stat st {};
    ASSERT_EQ(::lstat(path.c_str(), &st), 0);
    EXPECT_TRUE(S_ISSOCK(st.st_mode));
    EXPECT_EQ(st.st_mode & 0777U, 0600U);
    EXPECT_NE(::fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC, 0);
    ASSERT_TRUE(transport::connect_unix(path.native()));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ListeningSocket, ReplacesAStaleOne) {
  const TempDir dir;
  const InstanceLock lock = doorstep_take_lock(dir.path());
  const fs::path path = dir / "memd.sock";
  const fs::path kept = dir / "kept";
  {
    const auto first = ListeningSocket::create(path, lock);
    ASSERT_TRUE(first);
    fs::rename(path, kept);  // moved away before its owner removes it
  }
  fs::rename(kept, path);
  ASSERT_FALSE(transport::connect_unix(path.native())) << "nobody listens";
  const auto second = ListeningSocket::create(path, lock);
  ASSERT_TRUE(second) << second.error().message();
}

TEST(ListeningSocket, LeavesAloneWhatIsNoSocket) {
  const TempDir dir;
  const InstanceLock lock = doorstep_take_lock(dir.path());
  test::write_file(dir / "precious", "data");
  fs::create_symlink(dir / "precious", dir / "memd.sock");
  auto socket = ListeningSocket::create(dir / "memd.sock", lock);
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().message(), HasSubstr("symbolic link"));
  EXPECT_TRUE(fs::exists(dir / "precious"));
  EXPECT_TRUE(fs::is_symlink(dir / "memd.sock"));
  EXPECT_FALSE(ListeningSocket::create(dir / "precious", lock));
  EXPECT_TRUE(fs::is_regular_file(dir / "precious"));
}

TEST(ListeningSocket, DoesNotRemoveItsSuccessor) {
  const TempDir dir;
  const InstanceLock lock = doorstep_take_lock(dir.path());
  auto first = ListeningSocket::create(dir / "memd.sock", lock);
  ASSERT_TRUE(first);
  auto second = ListeningSocket::create(dir / "memd.sock", lock);
  ASSERT_TRUE(second);
  { const ListeningSocket gone = std::move(*first); }
  EXPECT_TRUE(fs::exists(dir / "memd.sock"));
}

TEST(ListeningSocket, AdoptsNothingThatIsNotForUs) {
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  const auto socket = ListeningSocket::adopt();
  ASSERT_TRUE(socket);
  EXPECT_FALSE(socket->has_value());
  EXPECT_EQ(::getenv("LISTEN_FDS"), nullptr);
}

// Runs `check` in a child process whose descriptor 3 is `fd`, as systemd passes it.
int handed_over(int fd, const std::function<bool()>& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(fd, 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    ::setenv("LISTEN_FDNAMES", "memd", 1);
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ListeningSocket, AdoptsWhatSystemdHandsOverAndLeavesTheFile) {
  const TempDir dir;
  const InstanceLock lock = doorstep_take_lock(dir.path());
  const auto socket = ListeningSocket::create(dir / "memd.sock", lock);
  ASSERT_TRUE(socket);
  EXPECT_EQ(handed_over(socket->fd(),
                        [&] {
                          const auto adopted = ListeningSocket::adopt();
                          return adopted && adopted->has_value() && (*adopted)->adopted() && (*adopted)->fd() == 3 &&
                                 (*adopted)->path() == dir / "memd.sock" && (::fcntl(3, F_GETFD) & FD_CLOEXEC) != 0;
                        }),
            0);
  EXPECT_TRUE(fs::exists(dir / "memd.sock"));
}

TEST(ListeningSocket, RefusesToAdoptAnythingElse) {
  const int null = ::open("/dev/null", O_RDONLY);
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::vector<int> unfit{null, pair[0]};
#ifdef __linux__
  const int nameless = ::socket(AF_UNIX, SOCK_STREAM, 0);  // the kernel chooses an abstract name
  sockaddr_un family_only{};
  family_only.sun_family = AF_UNIX;
  ASSERT_EQ(::bind(nameless, reinterpret_cast<const sockaddr*>(&family_only), sizeof(sa_family_t)), 0);
  ASSERT_EQ(::listen(nameless, 1), 0);
  unfit.push_back(nameless);
#endif
  for (const int fd : unfit)
    EXPECT_EQ(handed_over(fd, [] { return !ListeningSocket::adopt(); }), 0);
  unfit.push_back(pair[1]);
  for (const int fd : unfit)
    ::close(fd);
}

}  // namespace
}  // namespace memd
