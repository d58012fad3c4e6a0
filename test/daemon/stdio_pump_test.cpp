#include "protocol/mcp/client_requests.hpp"
#include "test/daemon/pump_fixture.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace memd::test {
namespace {

using testing::HasSubstr;

TEST_F(StdioPumpTest, PassesLinesBothWaysAsTheyAre) {
  auto daemon = dial.accept();
  start();
  shake_hands(daemon);
  for (const std::string& line :
       {std::string("not json"), std::string(R"({ "odd" : [1,2] })"), std::string(3'000'000, 'x')}) {
    std::thread writer([&] { client->send_line(line); });
    EXPECT_EQ(daemon.read_line(), line);
    writer.join();
    daemon.send_line(line);
    EXPECT_EQ(client->read_line(), line);
  }
}

TEST_F(StdioPumpTest, ARestartIsReplayedUnseen) {
  auto first = std::make_optional(dial.accept());
  start();
  shake_hands(*first);
  client->send_line(kListen);
  EXPECT_EQ(first->read_line(), kListen);
  first->send_line(kAck);
  EXPECT_EQ(client->read_line(), kAck);
  client->send_line(request(1));
  client->send_line(request(2));
  EXPECT_EQ(first->read_line(), request(1));
  EXPECT_EQ(first->read_line(), request(2));
  first->send_line(answer(2));
  EXPECT_EQ(client->read_line(), answer(2));

  first.reset();  // the daemon dies while request 1 is pending
  EXPECT_EQ(client->read_line(),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"memd daemon restarted; ask again",)"
            R"("data":{"retryable":false}}})");
  EXPECT_EQ(dial.series(), 1) << "nobody starts a daemon unasked";

  client->send_line(request(3));
  auto second = dial.accept();
  EXPECT_EQ(second.read_line(), kInitialize);
  EXPECT_EQ(second.read_line(), kInitialized);
  EXPECT_EQ(second.read_line(), kResumingOne);
  EXPECT_EQ(second.read_line(), kListen);
  EXPECT_EQ(second.read_line(), request(3));
  second.send_line(kInitializeAnswer);
  second.send_line(kAck);
  second.send_line(answer(3));
  EXPECT_EQ(client->read_line(), answer(3)) << "the answers to the replay are not for the client";
  second.send_line(kInitializeAnswer);
  EXPECT_EQ(client->read_line(), kInitializeAnswer) << "only one is swallowed";
}

TEST_F(StdioPumpTest, EachDaemonIsToldTheDirectoryFirst) {
  directory = "/home/u/app";
  auto first = std::make_optional(dial.accept());
  start();
  EXPECT_EQ(first->read_line(), mcp::working_directory_line("/home/u/app"));
  shake_hands(*first);
  client->send_line(request(1));
  EXPECT_EQ(first->read_line(), request(1));
  first.reset();
  EXPECT_TRUE(client->read_line()) << "the loss has been noticed";
  client->send_line(request(3));
  auto second = dial.accept();
  EXPECT_EQ(second.read_line(), mcp::working_directory_line("/home/u/app"));
  EXPECT_EQ(second.read_line(), kInitialize);
}

class ClientDirectory : public testing::Test {
 protected:
  ClientDirectory() { std::filesystem::create_directories(home.path() / "app"); }
  ~ClientDirectory() override {
    std::filesystem::current_path(before);
    ::unsetenv("CLAUDE_PROJECT_DIR");
  }
  std::string in(const std::filesystem::path& directory) const {
    std::filesystem::current_path(directory);
    return client_directory(home.path());
  }
  test::TempDir home;
  const std::filesystem::path before = std::filesystem::current_path();
};

TEST_F(ClientDirectory, IsWhereTheClientStartedThisProcess) {
  ::unsetenv("CLAUDE_PROJECT_DIR");
  const auto app = std::filesystem::canonical(home.path() / "app");
  EXPECT_EQ(in(app), app.string());
  EXPECT_EQ(in(home.path()), "") << "the home directory is no project";
  EXPECT_EQ(in("/"), "");
}

TEST_F(ClientDirectory, IsTheOneThatClaudeCodeNames) {
  const auto app = std::filesystem::canonical(home.path() / "app");
  const auto named_in = [&](const std::string& named, const std::filesystem::path& directory) {
    ::setenv("CLAUDE_PROJECT_DIR", named.c_str(), 1);
    return in(directory);
  };
  EXPECT_EQ(named_in(app.string(), "/"), app.string());
  EXPECT_EQ(named_in(home.path().string(), app), app.string()) << "the home directory tells nothing";
  EXPECT_EQ(named_in("/nowhere/at/all", app), app.string());
  EXPECT_EQ(named_in("app", app), app.string()) << "not absolute";
}

TEST_F(StdioPumpTest, WatchedResourcesAreWatchedAgain) {
  const auto line = [](std::string_view id, std::string_view method, std::string_view uri) {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"resources/)" + std::string(method) +
           R"(","params":{"uri":")" + std::string(uri) + R"("}})";
  };
  auto first = std::make_optional(dial.accept());
  start();
  shake_hands(*first);
  int id = 0;
  for (const auto& [method, uri] :
       {std::pair("subscribe", "memd://a"), {"subscribe", "memd://b"}, {"unsubscribe", "memd://a"}}) {
    const std::string sent = line(std::to_string(++id), method, uri);
    client->send_line(sent);
    EXPECT_EQ(first->read_line(), sent);
    first->send_line(answer(id));
    EXPECT_EQ(client->read_line(), answer(id));
  }
  client->send_line(request(6));
  EXPECT_EQ(first->read_line(), request(6));
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr(R"("id":6,"error")"));
  client->send_line(request(7));
  auto second = dial.accept();
  EXPECT_EQ(second.read_line(), kInitialize);
  EXPECT_EQ(second.read_line(), kInitialized);
  EXPECT_EQ(second.read_line(), kResumingOne);
  EXPECT_EQ(second.read_line(), line("2", "subscribe", "memd://b"));
  EXPECT_EQ(second.read_line(), request(7));
  second.send_line(kInitializeAnswer);
  second.send_line(answer(2));
  second.send_line(answer(7));
  EXPECT_EQ(client->read_line(), answer(7)) << "the client has its answer to 2 already";
}

// The next daemon must be told that the client listed resources, or it sends no notifications of changes.
TEST_F(StdioPumpTest, TheListOfResourcesIsWatchedAgain) {
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})";
  const std::string more = R"({"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursor":"x"}})";
  auto first = std::make_optional(dial.accept());
  start();
  shake_hands(*first);
  for (const auto& [id, line] : {std::pair(1, list), {2, more}}) {
    client->send_line(line);
    EXPECT_EQ(first->read_line(), line);
    first->send_line(answer(id));
    EXPECT_EQ(client->read_line(), answer(id));
  }
  client->send_line(request(6));
  EXPECT_EQ(first->read_line(), request(6));
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr(R"("id":6,"error")"));
  client->send_line(request(7));
  auto second = dial.accept();
  for (const std::string& line : {std::string(kInitialize), std::string(kInitialized), std::string(kResumingOne), list})
    EXPECT_EQ(second.read_line(), line);
  EXPECT_EQ(second.read_line(), request(7));
  second.send_line(kInitializeAnswer);
  second.send_line(answer(1));
  second.send_line(answer(7));
  EXPECT_EQ(client->read_line(), answer(7)) << "the client has its list already";
}

// A request repeated on behalf of the client, which a dying daemon did not answer, is sent to the next one only once.
TEST_F(StdioPumpTest, ASubscriptionThatADyingDaemonDidNotHearIsSaidOnce) {
  auto first = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  EXPECT_EQ(first->read_line(), request(1));
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  client->send_line(kListen);
  {
    auto dying = dial.accept();
    EXPECT_EQ(dying.read_line(), kListen);
  }
  auto next = dial.accept();
  EXPECT_EQ(next.read_line(), kResumingOne);
  EXPECT_EQ(next.read_line(), kListen);
  next.send_line(kAck);
  EXPECT_EQ(client->read_line(), kAck);
  client->send_line(request(2));
  EXPECT_EQ(next.read_line(), request(2));
}

TEST_F(StdioPumpTest, TheDaemonMayAskTheClient) {
  auto daemon = dial.accept();
  start();
  shake_hands(daemon);
  const std::string question = R"({"jsonrpc":"2.0","id":"memd-1","method":"sampling/createMessage","params":{}})";
  const std::string said = R"({"jsonrpc":"2.0","id":"memd-1","result":{"role":"assistant"}})";
  daemon.send_line(question);
  EXPECT_EQ(client->read_line(), question);
  client->send_line(said);
  EXPECT_EQ(daemon.read_line(), said);
}

TEST_F(StdioPumpTest, AHandshakeThatWasUnderWayIsFinishedByTheNextDaemon) {
  auto first = std::make_optional(dial.accept());
  start();
  client->send_line(kInitialize);
  EXPECT_EQ(first->read_line(), kInitialize);
  first.reset();
  auto second = dial.accept();
  EXPECT_EQ(second.read_line(), kInitialize);
  second.send_line(kInitializeAnswer);
  EXPECT_EQ(client->read_line(), kInitializeAnswer);
}

TEST_F(StdioPumpTest, CancelledRequestsAndEndedSubscriptionsAreForgotten) {
  auto first = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  client->send_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  client->send_line(kListen);
  client->send_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}})");
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(first->read_line());
  client->send_line(request(2));
  EXPECT_EQ(first->read_line(), request(2));
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr(R"("id":2,"error")")) << "1 is not answered";
  client->send_line(request(3));
  auto second = dial.accept();
  EXPECT_EQ(second.read_line(), request(3)) << "nothing is replayed";
  second.send_line(answer(3));
  EXPECT_EQ(client->read_line(), answer(3));
}

// The first connection of the second daemon is lost: it was being killed, accepted the connection, and closed it
// without an answer.
TEST_F(StdioPumpTest, WhatADyingDaemonDidNotHearIsSaidToTheNext) {
  start();
  client->send_line(request(1));
  {
    auto first = dial.accept();
    EXPECT_EQ(first.read_line(), request(1));
  }
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  client->send_line(request(2));
  {
    auto dying = dial.accept();
    EXPECT_EQ(dying.read_line(), request(2));
  }
  auto next = dial.accept();
  EXPECT_EQ(next.read_line(), request(2));
  next.send_line(answer(2));
  EXPECT_EQ(client->read_line(), answer(2));
}

TEST_F(StdioPumpTest, ARequestThatTwoDaemonsDidNotSurviveFails) {
  start();
  client->send_line(request(1));
  {
    auto first = dial.accept();
    EXPECT_EQ(first.read_line(), request(1));
  }
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  client->send_line(request(2));
  for (int i = 0; i < 2; ++i) {
    auto dying = dial.accept();
    EXPECT_EQ(dying.read_line(), request(2));
  }
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  client->send_line(request(3));
  auto next = dial.accept();
  EXPECT_EQ(next.read_line(), request(3));
}

TEST_F(StdioPumpTest, ADaemonThatCannotBeStartedAgainIsReportedToTheClient) {
  auto first = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  EXPECT_EQ(first->read_line(), request(1));
  dial.set_broken(true);
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  client->send_line(request(2));
  const auto line = client->read_line();
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, HasSubstr(R"("id":2)"));
  EXPECT_THAT(*line, HasSubstr("No space left on device"));
  dial.set_broken(false);
  auto second = dial.accept();
  round_trip(second, 3);
}

TEST_F(StdioPumpTest, WhatADyingDaemonTookUnreadIsSentOnceMore) {
  auto first = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  EXPECT_EQ(first->read_line(), request(1));
  first.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  for (const bool answered : {true, false}) {
    client->send_line(request(2));
    for (int time = 0; time < 2; ++time) {
      auto daemon = dial.accept();
      EXPECT_EQ(daemon.read_line(), request(2));
      if (!answered || time == 0) continue;  // dies without an answer
      daemon.send_line(answer(2));
      EXPECT_EQ(client->read_line(), answer(2));
      client->send_line(request(3));
      EXPECT_EQ(daemon.read_line(), request(3));
    }
    EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again")) << "not a third time";
  }
}

TEST_F(StdioPumpTest, NoDaemonAtFirstIsAFailure) {
  dial.set_broken(true);
  start();
  join();
  ASSERT_TRUE(pump->failure());
  EXPECT_EQ(pump->failure()->message(), "start memd: No space left on device");
}

TEST_F(StdioPumpTest, WaitsForADaemonThatIsStarting) {
  start();
  client->send_line(request(1));
  auto daemon = dial.accept();
  EXPECT_EQ(daemon.read_line(), request(1));
}

TEST_F(StdioPumpTest, TheEndOfInputReachesTheDaemonAndItsAnswersTheClient) {
  auto daemon = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  client->close_write();
  EXPECT_EQ(daemon->read_line(), request(1));
  EXPECT_FALSE(daemon->read_line()) << "the end of input";
  daemon->send_line(answer(1));
  EXPECT_EQ(client->read_line(), answer(1));
  daemon.reset();
  join();
}

TEST_F(StdioPumpTest, AfterTheEndOfInputItWaitsNoLongerThanTheDrainTime) {
  auto daemon = dial.accept();
  start(std::chrono::milliseconds(1));
  client->send_line(request(1));
  EXPECT_EQ(daemon.read_line(), request(1));
  client->close_write();
  join();
}

TEST_F(StdioPumpTest, ADaemonLostAfterTheEndOfInputIsStillReported) {
  auto daemon = std::make_optional(dial.accept());
  start();
  client->send_line(request(1));
  EXPECT_EQ(daemon->read_line(), request(1));
  client->close_write();
  EXPECT_FALSE(daemon->read_line());
  daemon.reset();
  EXPECT_THAT(client->read_line().value_or(""), HasSubstr("ask again"));
  join();
}

TEST_F(StdioPumpTest, StopsAtOnce) {
  auto daemon = dial.accept();
  start();
  round_trip(daemon, 1);
  client->send_line(request(2));
  boost::asio::post(loop, [this] { pump->stop(); });
  join();
}

TEST_F(StdioPumpTest, StopsAtOnceWhileDialing) {
  start();
  boost::asio::post(loop, [this] { pump->stop(); });
  join();
}

TEST_F(StdioPumpTest, AClientThatDoesNotReadHoldsTheDaemonBack) {
  auto daemon = dial.accept();
  start();
  const std::string big(1'000'000, 'x');
  constexpr int kLines = 100;  // more than the pump may buffer
  std::thread writer([&] {
    for (int i = 0; i < kLines; ++i)
      ASSERT_TRUE(daemon.send_line(big));
  });
  for (int i = 0; i < kLines; ++i)
    ASSERT_EQ(client->read_line().value_or("").size(), big.size()) << i;
  writer.join();
}

TEST(StdioPump, ReadsRegularFiles) {
  const TempDir dir;
  write_file(dir / "in", request(1) + "\n" + request(2) + "\n");
  const int in = ::open((dir / "in").c_str(), O_RDONLY);
  const int out = ::open((dir / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  boost::asio::io_context loop(1);
  ScriptedDial dial;
  auto daemon = std::make_optional(dial.accept());
  StdioPump pump(loop, dial, {in, out, std::chrono::seconds(10)});
  pump.start();
  std::thread thread([&] { loop.run(); });
  EXPECT_EQ(daemon->read_line(), request(1));
  EXPECT_EQ(daemon->read_line(), request(2));
  EXPECT_FALSE(daemon->read_line());
  daemon->send_line(answer(2));
  daemon.reset();
  thread.join();
  ::close(in);
  ::close(out);
  std::ifstream answers(dir / "out");
  std::string line;
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_EQ(line, answer(2));
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_THAT(line, HasSubstr("ask again")) << "1 was in flight";
}

}  // namespace
}  // namespace memd::test
