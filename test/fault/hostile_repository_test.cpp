// Runs the memory commands and tools in repositories that attack whoever reads them. No command may show what is
// outside, wait for ever, write outside, or lose a memory. In a normal run each variant meets one
// command; MEMD_HOSTILE=all runs every pair.
#include "test/fault/hostile_repository.hpp"
#include "test/fault/memd_process.hpp"
#include "test/support/line_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::HostileVariant;
using test::HostileWorld;
using testing::HasSubstr;
using testing::Not;

constexpr auto kDeadline = 20s;
constexpr std::size_t kSomeCommands = 1;

bool runs_every_pair() {
  const char* wanted = std::getenv("MEMD_HOSTILE");
  return wanted != nullptr && std::string_view(wanted) == "all";
}

const std::vector<std::vector<std::string>>& hostile_commands() {
  static const std::vector<std::vector<std::string>> kAll{
      {"memory", "list"},
      {"memory", "show", "learning-x"},
      {"memory", "write", "--type", "learning", "--title", "A new one", "--scope", "project", "TEXT"},
      {"memory", "health"},
      {"memory", "edit", "learning-good", "--title", "Good to know again"},
      {"memory", "garden", "--apply"},
      {"memory", "verify"},
      {"memory", "delete", "learning-more"},
      {"memory", "undo"},
      {"memory", "link", "learning-good", "learning-more"},
      {"memory", "show", "CLAUDE.md"},
      {"memory", "write", "--type", "fact", "--title", "A new fact", "TEXT"},
      {"memory", "graph", "--html", "-o", "PAGE"},
      {"memory", "unlink", "learning-good", "learning-more"},
      {"memory", "write", "--type", "gotcha", "--title", "Mine", "--scope", "local", "TEXT"},
      {"memory", "rebuild"},
      {"memory", "verify", "--mark"},
      {"memory", "show", "learning-private", "--json"},
      {"memory", "graph", "--json"},
      {"memory", "list", "--json"},
      {"memory", "suggest", "--links"},
      {"memory", "edit", "fact.good", "--title", "A good fact"},
      {"memory", "delete", "fact.good"},
      {"memory", "garden", "--json"},
      {"memory", "health", "--json"},
      {"memory", "delete", "learning-x"},
      {"memory", "edit", "learning-x", "--title", "X"},
      {"memory", "undo", "learning-old"},
      {"search", std::string(test::kOutsideMarker)},
  };
  return kAll;
}

class HostileRepository : public testing::Test {
 protected:
  // Runs the program and returns how it ended.
  test::Ending run(const HostileWorld& world, std::vector<std::string> command) {
    for (std::string& word : command) {
      if (word == "TEXT") word = (world.path() / "text.md").string();
      if (word == "PAGE") word = (world.path() / "page.html").string();
    }
    test::write_file(world.path() / "text.md", "A text that says something about the parser.\n");
    std::vector<std::string> all{"--config", world.config().string(), "--data-dir", world.data().string(),
                                 "--home",   world.home().string(),   "--project",  world.repo().string()};
    all.insert(all.end(), command.begin(), command.end());
    test::MemdProcess memd(all, world.path() / "said");
    const auto ending = memd.wait(kDeadline);
    ++pairs_;
    if (ending) return *ending;
    ADD_FAILURE() << "still runs after " << kDeadline.count() << " s";
    return {};
  }

  static std::string page_of(const HostileWorld& world) { return test::bytes_of(world.path() / "page.html"); }

  static void expect_promises(const HostileWorld& world, const std::map<std::string, std::string>& outside,
                              const std::string& said) {
    EXPECT_THAT(said, Not(HasSubstr(std::string(test::kOutsideMarker)))) << "shows what is outside";
    EXPECT_THAT(page_of(world), Not(HasSubstr(std::string(test::kOutsideMarker)))) << "draws what is outside";
    EXPECT_EQ(world.outside_files(), outside) << "wrote outside";
    EXPECT_FALSE(world.store_has(test::kOutsideMarker)) << "stored what is outside";
    EXPECT_THAT(world.lost(), testing::IsEmpty()) << "lost a memory";
  }

  int pairs_ = 0;
};

TEST_F(HostileRepository, NoCommandLeavesIt) {
  ::setenv("MEMD_TEST_ENVIRONMENT", std::string(test::kOutsideMarker).c_str(), 1);
  const auto& commands = hostile_commands();
  const std::size_t each = runs_every_pair() ? commands.size() : kSomeCommands;
  std::size_t next = 0;
  for (const HostileVariant& variant : test::hostile_variants())
    for (std::size_t i = 0; i < each; ++i, ++next) {
      const auto& command = commands[next % commands.size()];
      SCOPED_TRACE(std::string(variant.name) + ": " + command[0] + " " + command[1]);
      const HostileWorld world;
      variant.apply(world);
      const auto outside = world.outside_files();
      auto ending = run(world, command);
      EXPECT_EQ(ending.signal, 0) << ending.said;
      // The word that is searched for is repeated in the answer.
      if (command[0] == "search") ending.said.clear();
      expect_promises(world, outside, ending.said);
    }
  std::printf("%d tries: %zu variants, %zu commands\n", pairs_, test::hostile_variants().size(), commands.size());
  ::unsetenv("MEMD_TEST_ENVIRONMENT");
}

// Requests to a daemon. CWD stands for the repository, PLACE for the repository in an address.
const std::vector<std::string>& hostile_requests() {
  const auto tool = [](const std::string& name, const std::string& arguments) {
    return R"("method":"tools/call","params":{"name":")" + name + R"(","arguments":{"cwd":"CWD")" + arguments + "}}";
  };
  const auto resource = [](const std::string& what) {
    return R"("method":"resources/read","params":{"uri":"memory://)" + what + R"(/of/PLACE"})";
  };
  static const std::vector<std::string> kAll{
      tool("memory_read", ""),
      tool("memory_read", R"(,"slug":"learning-x")"),
      tool("memory_read", R"(,"slug":"learning-private")"),
      tool("memory_read", R"(,"slug":"fact.private")"),
      tool("memory_read", R"(,"slug":"repo/CLAUDE.md")"),
      tool("memory_health", R"(,"garden":true)"),
      tool("memory_search", R"(,"query":"the private plan")"),
      tool("memory_write",
           R"(,"action":"create","type":"learning","scope":"project","title":"By a tool","text":"Said.")"),
      tool("memory_write", R"(,"action":"create","type":"learning","scope":"local","title":"Local","text":"Said.")"),
      tool("memory_write", R"(,"action":"update","slug":"learning-good","title":"Good to know still")"),
      tool("memory_write", R"(,"action":"update","slug":"learning-x","title":"X")"),
      tool("memory_write", R"(,"action":"link","slug":"learning-good","target":"learning-more")"),
      tool("memory_write", R"(,"action":"delete","slug":"learning-more")"),
      tool("memory_write", R"(,"action":"undo")"),
      tool("memory_write", R"(,"action":"delete","slug":"fact.good")"),
      R"("method":"resources/list","params":{})",
      resource("project/learning-x"),
      resource("project/learning-private"),
      resource("local/learning-private"),
      R"("method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":)"
      R"("memory://{scope}/{slug}/of/{project}"},"argument":{"name":"slug","value":"learning"}})",
  };
  return kAll;
}

std::string with_place(std::string text, const fs::path& repo) {
  const auto replace = [&](std::string_view what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  };
  std::string encoded;
  for (const char c : repo.string())
    encoded += c == '/' ? std::string("%2F") : std::string(1, c);
  replace("CWD", repo.string());
  replace("PLACE", encoded);
  return text;
}

// Connects to a daemon that is starting; nullopt: it ended, or does not listen in time.
std::optional<test::LineClient> connect_to(test::MemdProcess& memd, const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  std::copy(path.begin(), path.end(), address.sun_path);
  for (const auto until = std::chrono::steady_clock::now() + kDeadline; std::chrono::steady_clock::now() < until;) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return test::LineClient(fd);
    ::close(fd);
    if (memd.wait(5ms)) return std::nullopt;
  }
  return std::nullopt;
}

TEST_F(HostileRepository, NoToolLeavesIt) {
  ::setenv("MEMD_TEST_ENVIRONMENT", std::string(test::kOutsideMarker).c_str(), 1);
  const HostileWorld own;
  test::MemdProcess memd({"--config", own.config().string(), "--data-dir", own.data().string(), "--home",
                          own.home().string(), "--socket", (own.path() / "s").string()},
                         own.path() / "said");
  auto client = connect_to(memd, own.path() / "s");
  ASSERT_TRUE(client);
  int id = 0;
  const auto ask = [&](const std::string& request) -> std::string {
    const std::string wanted = "\"id\":" + std::to_string(++id) + ",";
    client->send_line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + request + "}");
    while (const auto line = client->read_line())
      if (line->find(wanted) != std::string::npos || line->ends_with("\"id\":" + std::to_string(id) + "}"))
        return *line;
    return {};
  };
  ASSERT_THAT(ask(R"("method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
                  R"("clientInfo":{"name":"test","version":"1"}})"),
              HasSubstr("serverInfo"));
  client->send_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  int answered = 0;
  for (const HostileVariant& variant : test::hostile_variants()) {
    const HostileWorld world;
    variant.apply(world);
    const auto outside = world.outside_files();
    for (const std::string& request : hostile_requests()) {
      SCOPED_TRACE(std::string(variant.name) + ": " + request);
      const std::string answer = ask(with_place(request, world.repo()));
      ASSERT_FALSE(answer.empty()) << "no answer";
      ++answered;
      EXPECT_THAT(answer, Not(HasSubstr(std::string(test::kOutsideMarker)))) << "shows what is outside";
    }
    SCOPED_TRACE(variant.name);
    expect_promises(world, outside, {});
  }
  EXPECT_FALSE(own.store_has(test::kOutsideMarker)) << "stored what is outside";
  memd.signal(SIGTERM);
  const auto ending = memd.wait(kDeadline);
  ASSERT_TRUE(ending) << "does not end";
  EXPECT_EQ(ending->signal, 0);
  EXPECT_EQ(ending->code, 0) << ending->said;
  EXPECT_THAT(ending->said, Not(HasSubstr(std::string(test::kOutsideMarker))));
  std::printf("%d tries: %zu variants, %zu requests\n", answered, test::hostile_variants().size(),
              hostile_requests().size());
  ::unsetenv("MEMD_TEST_ENVIRONMENT");
}

std::vector<std::string> ran_programs(const HostileWorld& world) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(world.path()))
    if (entry.path().filename().string().starts_with("ran-")) out.push_back(entry.path().filename().string());
  return out;
}

TEST_F(HostileRepository, NoProgramOfItRuns) {
  const HostileWorld world;
  test::make_git_hostile(world);
  const auto outside = world.outside_files();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"memory", "verify"},
                                                  {"memory", "garden", "--apply"},
                                                  {"memory", "verify", "--mark"},
                                                  {"memory", "verify", "--ok", "learning-good"},
                                                  {"memory", "health"},
                                                  {"memory", "recap"},
                                                  {"ingest", "--once"},
                                                  {"doctor"}}) {
    SCOPED_TRACE(command[0] + " " + command[command.size() - 1]);
    const auto ending = run(world, command);
    EXPECT_EQ(ending.signal, 0) << ending.said;
    EXPECT_THAT(ran_programs(world), testing::IsEmpty());
    expect_promises(world, outside, ending.said);
    if (command.size() == 2 && command[1] == "verify") {
      EXPECT_THAT(ending.said, HasSubstr("learning-good")) << "git was asked";
    }
  }
  const std::string git = "git -C '" + world.repo().string() + "' status >/dev/null 2>&1 </dev/null";
  (void)std::system(git.c_str());
  EXPECT_THAT(ran_programs(world), Not(testing::IsEmpty())) << "the repository is not hostile";
}

}  // namespace
}  // namespace memd
