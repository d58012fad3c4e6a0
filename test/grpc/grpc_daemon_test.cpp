// The program with the gRPC door open: started, queried over the socket, and stopped.
#include "test/grpc/admin_client.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::AdminClient;
using testing::HasSubstr;
namespace v1 = memd::admin::v1;
namespace fs = std::filesystem;

class GrpcDaemon : public testing::Test {
 protected:
  GrpcDaemon() { fs::permissions(data_.path(), fs::perms::owner_all); }
  ~GrpcDaemon() override {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void start(const std::string& configuration) {
    test::write_file(home_ / "config.yaml", configuration);
    std::vector<std::string> words{
        MEMD_PROGRAM,          "--socket", "--data-dir",         data_.path().string(), "--home",
        home_.path().string(), "--config", home_ / "config.yaml"};
    std::vector<char*> arguments;
    for (auto& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 2, log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_EQ(::posix_spawn(&pid_, MEMD_PROGRAM, &files, nullptr, arguments.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&files);
  }
  // Returns whether the main socket appears before the daemon exits.
  bool serves() {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!fs::exists(data_ / "memd.sock")) {
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = 0;
      if (pid_ == 0 || std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  // Stops the daemon and returns its exit code. Checks its time limit.
  int end() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const { return test::bytes_of(log_); }

  test::TempDir home_;
  test::TempDir data_;
  const fs::path log_ = home_ / "log";
  pid_t pid_ = 0;
};

TEST_F(GrpcDaemon, ServesWatchesAndEnds) {
  // A socket that a killed daemon left.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto socket = data_ / "admin.sock";
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(stale, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(stale);

  fs::create_directories(home_ / ".claude/projects/-w-p");
  start("admin: {grpc: {enabled: true}}\n");
  AdminClient client(socket);
  ASSERT_TRUE(client.connects(60s)) << log();
  v1::StatusReport status;
  const auto asked = client.ask(&AdminClient::Stub::Status, v1::NoParams(), status);
  ASSERT_TRUE(asked.ok()) << asked.error_message() << log();
  EXPECT_EQ(status.role(), "daemon");
  EXPECT_EQ(status.pid(), pid_);
  EXPECT_EQ(fs::status(socket).permissions(), fs::perms::owner_read | fs::perms::owner_write);

  const auto context = test::patient();
  const auto stream = client->WatchEvents(context.get(), v1::EventsParams());
  v1::EventsReport report;
  ASSERT_TRUE(stream->Read(&report));
  test::write_file(
      home_ / ".claude/projects/-w-p/s.jsonl",
      R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"hello"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":"s","version":"2.1.7"})"
      "\n");
  bool heard = false;
  while (!heard && stream->Read(&report))
    heard = report.sessions_size() > 0;
  EXPECT_TRUE(heard) << log();

  EXPECT_EQ(end(), 0) << log();
  while (stream->Read(&report)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(fs::exists(socket));
}

TEST_F(GrpcDaemon, MakesItsStoreAnewAndServesOn) {
  test::write_file(
      home_ / ".claude/projects/-w-p/s.jsonl",
      R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"hello"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":"s","version":"2.1.7"})"
      "\n");
  start("admin: {grpc: {enabled: true}}\n");
  AdminClient client(data_ / "admin.sock");
  ASSERT_TRUE(client.connects(60s)) << log();
  v1::IngestReport ingested;
  ASSERT_TRUE(client.ask(&AdminClient::Stub::Rescan, v1::IngestParams(), ingested).ok()) << log();
  ASSERT_EQ(ingested.sessions(), 1);
  const auto context = test::patient();
  const auto stream = client->WatchEvents(context.get(), v1::EventsParams());
  v1::EventsReport event;
  ASSERT_TRUE(stream->Read(&event));

  v1::RebuildParams all;
  all.set_what("store");
  v1::RebuildResponse begun;
  const auto asked = client.ask(&AdminClient::Stub::Rebuild, all, begun);
  ASSERT_TRUE(asked.ok()) << asked.error_message() << log();
  EXPECT_TRUE(begun.started());
  while (stream->Read(&event)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);

  v1::StatusReport status;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  do {
    std::this_thread::yield();
    (void)client.ask(&AdminClient::Stub::Status, v1::NoParams(), status);
  } while ((!status.has_rebuild() || status.rebuild().state() == "running") &&
           std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(status.rebuild().state(), "replaced") << status.DebugString() << log();
  EXPECT_EQ(status.rebuild().result().events(), 1U);
  EXPECT_EQ(status.pid(), pid_);
  EXPECT_THAT(log(), HasSubstr("the store was rebuilt from "));
  EXPECT_TRUE(fs::exists(data_ / "memd.db.old"));

  // It continues to read, and answers further requests.
  ASSERT_TRUE(client.ask(&AdminClient::Stub::Rescan, v1::IngestParams(), ingested).ok()) << log();
  EXPECT_EQ(ingested.sessions(), 1);
  EXPECT_TRUE(client.ask(&AdminClient::Stub::Rebuild, all, begun).ok());
  EXPECT_EQ(end(), 0) << log();  // during the rebuild or after it
  EXPECT_FALSE(fs::exists(data_ / "memd.db.rebuild"));
}

TEST_F(GrpcDaemon, OpensNothingUnasked) {
  start("");
  ASSERT_TRUE(serves()) << log();
  EXPECT_EQ(end(), 0) << log();
  EXPECT_THAT(log(), testing::Not(HasSubstr("gRPC")));
  EXPECT_FALSE(fs::exists(data_ / "admin.sock"));
}

// Everything else is served.
TEST_F(GrpcDaemon, StaysShutInADirectoryOfEverybody) {
  fs::create_directories(home_ / "open");
  fs::permissions(home_ / "open", fs::perms::all);
  start("admin: {grpc: {enabled: true, socket: " + (home_ / "open/admin.sock").string() + "}}\n");
  ASSERT_TRUE(serves()) << log();
  EXPECT_EQ(end(), 0) << log();
  EXPECT_THAT(log(), HasSubstr("the gRPC door stays shut: "));
  EXPECT_FALSE(fs::exists(home_ / "open/admin.sock"));
}

}  // namespace
}  // namespace memd
