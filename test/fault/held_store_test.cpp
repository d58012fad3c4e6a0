// A command that writes to the store holds it. Clients that come meanwhile are answered from the store as it is, and
// `memd stop` names the command.
#include "daemon/serve/instance_lock.hpp"
#include "store/db/database.hpp"
#include "test/fault/memd_process.hpp"
#include "test/support/line_client.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kEndsWithin = 60s;

// `memd --stdio` with a client at its other end.
class StdioProcess {
 public:
  explicit StdioProcess(const std::vector<std::string>& arguments, const std::filesystem::path& said_to) {
    int to_memd[2];
    int from_memd[2];
    EXPECT_EQ(::pipe2(to_memd, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(from_memd, O_CLOEXEC), 0);
    process_ = std::make_unique<MemdProcess>(arguments, said_to, std::filesystem::path(),
                                             ProcessEnds{to_memd[0], from_memd[1]});
    ::close(to_memd[0]);
    ::close(from_memd[1]);
    client_ = std::make_unique<LineClient>(from_memd[0], to_memd[1]);
  }
  // Returns the text of the tool's answer; empty: none came.
  std::string call(const std::string& tool, const std::string& arguments = "{}") {
    client_->send_line(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id_) +
                       R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":)" + arguments + "}}");
    const auto line = client_->read_line();
    if (!line) return {};
    const auto answer = boost::json::parse(*line).as_object();
    const auto* result = answer.if_contains("result");
    return result == nullptr ? *line : std::string(result->at("content").at(0).at("text").as_string());
  }
  bool shakes_hands() {
    client_->send_line(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
        R"("clientInfo":{"name":"test","version":"1"}}})");
    const bool answered = client_->read_line().value_or("").find("\"serverInfo\"") != std::string::npos;
    client_->send_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return answered;
  }

 private:
  std::unique_ptr<MemdProcess> process_;
  std::unique_ptr<LineClient> client_;
  int id_ = 0;
};

class HeldStore : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    for (int session = 1; session <= 3; ++session)
      home_.turn("/src/p" + std::to_string(session), session, kNow + session, "word", "Why?", "Because.");
    write_file(dir_ / "config.yaml", "retention:\n  max_age_days: 36500\nembedding:\n  provider: disabled\n");
    const auto first = run({"ingest", "--once"})->wait(kEndsWithin);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->code, 0) << first->said;
  }
  void TearDown() override { run({"stop"})->wait(kEndsWithin); }

  std::vector<std::string> with_places(std::vector<std::string> arguments) {
    for (const auto& more : {"--data-dir", data_.path().c_str(), "--home", home_.path().c_str(), "--config"})
      arguments.emplace_back(more);
    arguments.push_back((dir_ / "config.yaml").string());
    return arguments;
  }
  std::unique_ptr<MemdProcess> run(std::vector<std::string> arguments) {
    return std::make_unique<MemdProcess>(with_places(std::move(arguments)), dir_ / ("said" + std::to_string(++runs_)));
  }
  // Starts the command and stops it with SIGSTOP when it holds the store. Null: it ended before, each time.
  std::unique_ptr<MemdProcess> hold(const std::vector<std::string>& arguments) {
    for (int tries = 0; tries < 200; ++tries) {
      auto command = run(arguments);
      const auto deadline = steady_clock::now() + kEndsWithin;
      while (!command->is_over() && steady_clock::now() < deadline) {
        if (InstanceLock::look(data_.path()).holder != command->id()) continue;
        command->signal(SIGSTOP);
        siginfo_t seen{};
        if (::waitid(P_PID, static_cast<id_t>(command->id()), &seen, WSTOPPED | WEXITED | WNOWAIT) == 0 &&
            seen.si_code == CLD_STOPPED && InstanceLock::is_held(data_.path()) && is_readable())
          return command;
        command->signal(SIGCONT);
      }
      command->wait(kEndsWithin);
    }
    return nullptr;
  }
  // False while a process opens the store: for a moment SQLite then keeps everybody out.
  bool is_readable() {
    return sqlite::guard([&] {
             auto db = sqlite::Database::open(data_ / "memd.db", sqlite::OpenMode::read_only);
             db.exec("PRAGMA busy_timeout = 20");
             sqlite::Statement(db.handle(), "SELECT count(*) FROM sessions").step();
           })
        .has_value();
  }

  static constexpr TimeMs kNow = 1'770'000'000'000;
  TranscriptHome home_;
  TempDir data_;
  TempDir dir_;
  int runs_ = 0;
};

TEST_F(HeldStore, AClientIsAnsweredAtOnceAndWhollyWhenTheWriterHasEnded) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> holders{
      {"memd ingest", {"ingest", "--once"}},
      {"memd ingest", {"ingest", "--once", "--second-look"}},
      {"memd rebuild", {"rebuild"}},
      {"memd forget", {"forget", "--project", "p3", "--yes"}},
      {"memd import", {"import", (dir_ / "import.jsonl").string()}},
      {"memd retention", {"retention", "--apply"}}};
  const auto exported =
      run({"export", TranscriptHome::session_id(1), "--output", (dir_ / "import.jsonl").string()})->wait(kEndsWithin);
  ASSERT_TRUE(exported && exported->code == 0) << exported->said;
  for (const auto& [name, arguments] : holders) {
    auto command = hold(arguments);
    ASSERT_TRUE(command) << name << " was never met while it held the store";
    StdioProcess client(with_places({"--stdio"}), dir_ / "said-by-stdio");
    EXPECT_TRUE(client.shakes_hands()) << name;
    EXPECT_THAT(client.call("list_sessions"), StartsWith("FROM THE STORE AS IT IS: `" + name + "` (process " +
                                                         std::to_string(command->id()) + ") holds it"));
    command->signal(SIGCONT);
    const auto ended = command->wait(kEndsWithin);
    EXPECT_TRUE(ended && ended->signal == 0) << name << (ended ? ended->said : " still runs");
    std::string after;
    for (const auto deadline = steady_clock::now() + kEndsWithin; steady_clock::now() < deadline;) {
      after = client.call("list_sessions");
      if (!after.starts_with("FROM THE STORE")) break;
    }
    EXPECT_THAT(after, Not(StartsWith("FROM THE STORE"))) << name;
    EXPECT_FALSE(InstanceLock::look(data_.path()).socket.empty()) << "a daemon answers now";
    EXPECT_EQ(run({"stop"})->wait(kEndsWithin)->code, 0);
  }
}

TEST_F(HeldStore, StopWaitsForACommandAndNamesIt) {
  auto command = hold({"ingest", "--once"});
  ASSERT_TRUE(command);
  auto stop = run({"stop"});
  const std::string said_to = dir_ / ("said" + std::to_string(runs_));
  for (const auto deadline = steady_clock::now() + kEndsWithin;
       bytes_of(said_to).find("waiting for it") == std::string::npos && steady_clock::now() < deadline;)
    EXPECT_FALSE(stop->is_over());
  command->signal(SIGCONT);
  const auto ended = command->wait(kEndsWithin);
  EXPECT_TRUE(ended && ended->signal == 0 && ended->code == 0);
  const auto stopped = stop->wait(kEndsWithin);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, 0);
  EXPECT_THAT(stopped->said, HasSubstr("`memd ingest` (process " + std::to_string(command->id()) +
                                       ") holds the store: waiting for it to end"));
  EXPECT_THAT(stopped->said, HasSubstr("has ended."));
  EXPECT_THAT(stopped->said, HasSubstr("No daemon runs."));
}

TEST_F(HeldStore, WithForceTheCommandEndsAndSaysSo) {
  auto command = hold({"rebuild"});
  ASSERT_TRUE(command);
  auto stop = run({"stop", "--force"});
  command->signal(SIGCONT);
  const auto ended = command->wait(kEndsWithin);
  ASSERT_TRUE(ended);
  const auto stopped = stop->wait(kEndsWithin);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, 0);
  if (ended->signal == 0) GTEST_SKIP() << "the command was done before it was asked to end";
  EXPECT_EQ(ended->signal, SIGTERM);
  EXPECT_THAT(ended->said, HasSubstr("asked to end (SIGTERM) before the command was done"));
  EXPECT_THAT(stopped->said, HasSubstr("`memd rebuild` (process " + std::to_string(command->id()) + ") has ended."));
}

// It ends with its client only, which may stay for days.
TEST_F(HeldStore, TheServerOfASingleClientIsNotWaitedFor) {
  StdioProcess standalone(with_places({"--stdio", "--standalone"}), dir_ / "said-by-standalone");
  ASSERT_TRUE(standalone.shakes_hands());
  const auto holder = InstanceLock::look(data_.path());
  ASSERT_EQ(holder.command, kStandalone);
  StdioProcess client(with_places({"--stdio"}), dir_ / "said-by-stdio");
  EXPECT_TRUE(client.shakes_hands());
  EXPECT_THAT(client.call("list_sessions"), StartsWith("FROM THE STORE AS IT IS: " + holder.who()));
  const auto refused = run({"retention", "--apply"})->wait(kEndsWithin);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->said, HasSubstr(holder.who() + " holds the store: end it with `memd stop`"));
  const auto stopped = run({"stop"})->wait(kEndsWithin);
  ASSERT_TRUE(stopped) << "it waits for the client";
  EXPECT_EQ(stopped->code, 0);
  EXPECT_THAT(stopped->said, Not(HasSubstr("waiting for it")));
  EXPECT_THAT(stopped->said, HasSubstr(holder.who() + " has ended."));
}

// A second command does not wait, and names the one that it would have to wait for.
TEST_F(HeldStore, AnotherCommandIsToldWhoHoldsTheStore) {
  auto command = hold({"ingest", "--once"});
  ASSERT_TRUE(command);
  const auto second = run({"retention", "--apply"})->wait(kEndsWithin);
  command->signal(SIGCONT);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->code, 1);
  EXPECT_THAT(second->said, HasSubstr("`memd ingest` (process " + std::to_string(command->id()) + ")"));
  EXPECT_THAT(second->said, HasSubstr("wait until it has ended"));
}

}  // namespace
}  // namespace memd::test
