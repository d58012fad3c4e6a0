// The configuration that `memd setup` writes for each client, and checks that hold for all of them.
#include "daemon/setup/registration.hpp"
#include "schemas/base/error.hpp"
#include "store/files/whole_file.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::setup {
namespace {

namespace fs = std::filesystem;
using test::TempDir;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Home {
 public:
  Home() { fs::create_directories(home()); }
  fs::path home() const { return dir_ / "home"; }
  fs::path project() const { return dir_ / "project"; }

  ClientPlaces places() const {
    ClientPlaces p;
    p.home = home();
    p.config_home = home() / ".config";
    return p;
  }
  Registration registration(const std::string& executable = "/opt/memd/bin/memd",
                            std::vector<std::string> arguments = {}) const {
    return Registration(places(), {executable, std::move(arguments)}, dir_ / "data" / "setup");
  }
  // Returns all files below home and project, with their bytes.
  std::vector<std::pair<std::string, std::string>> files() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const fs::path& root : {home(), project()}) {
      std::error_code ec;
      for (const auto& entry : fs::recursive_directory_iterator(root, ec))
        if (entry.is_regular_file()) out.emplace_back(entry.path().string(), files::read_whole(entry.path()).value());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  TempDir dir_;
};

Result<void> run(const Registration& r, std::string_view client, bool remove, ClientScope scope = ClientScope::user,
                 const fs::path& project = {}, bool server_only = false) {
  MEMD_TRY_ASSIGN(auto edits, r.plan(*find_client(client), scope, project, remove, server_only));
  for (Edit& edit : edits)
    MEMD_TRY(r.apply(edit));
  return {};
}

void tidy(const Registration& r, std::string_view client) {
  const auto edits = r.plan(*find_client(client), ClientScope::user, {}, false, false);
  ASSERT_TRUE(edits);
  r.tidy(*edits);
}

std::string read(const fs::path& file) {
  const auto bytes = files::read_whole(file);
  return bytes ? *bytes : "(" + bytes.error().message() + ")";
}

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  test::write_file(file, std::string(text));
}

fs::path config_of(const Home& h, std::string_view client) {
  return config_files(*find_client(client), ClientScope::user, h.places(), {}).front().path;
}

// --- golden: before and after, as in the documentation of each client ---

struct GoldenSetup {
  const char* client;
  const char* file;  // below home
  const char* before;
  const char* after;
};

const GoldenSetup kGolden[] = {
    {"claude-code", ".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {},\n  \"userID\": \"u\"\n}",
     "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"memd\": {\n      \"type\": \"stdio\",\n      \"command\": "
     "\"/opt/memd/bin/memd\",\n      \"args\": [\"--stdio\"]\n    }\n  },\n  \"userID\": \"u\"\n}"},
    {"cursor", ".cursor/mcp.json", "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {\"url\": \"u\"},\r\n\t}\r\n}\r\n",
     "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {\"url\": \"u\"},\r\n\t\t\"memd\": {\r\n\t\t\t\"command\": "
     "\"/opt/memd/bin/memd\",\r\n\t\t\t\"args\": [\"--stdio\"]\r\n\t\t},\r\n\t}\r\n}\r\n"},
    {"cline", ".cline/data/settings/cline_mcp_settings.json",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/old/memd\",\n      \"args\": [\"--stdio\"],\n     "
     " "
     "\"disabled\": false,\n      \"autoApprove\": [\"capabilities\"]\n    }\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/opt/memd/bin/memd\",\n      \"args\": "
     "[\"--stdio\"],\n      \"disabled\": false,\n      \"autoApprove\": [\"capabilities\"]\n    }\n  }\n}\n"},
    {"codex", ".codex/config.toml", "model = \"gpt-5\" # mine\n\n[projects.\"/a b\"]\ntrust_level = \"trusted\"\n",
     "model = \"gpt-5\" # mine\n\n[projects.\"/a b\"]\ntrust_level = \"trusted\"\n\n# memd: "
     "begin\n[mcp_servers.memd]\ncommand = "
     "\"/opt/memd/bin/memd\"\nargs = [\"--stdio\"]\n# memd: end\n"},
    {"gemini", ".gemini/settings.json", "{\n  // dark\n  \"ui\": {\"theme\": \"Dracula\"} // nice\n}\n",
     "{\n  // dark\n  \"ui\": {\"theme\": \"Dracula\"}, // nice\n  \"mcpServers\": {\n    \"memd\": {\n      "
     "\"command\": \"/opt/memd/bin/memd\",\n      \"args\": [\"--stdio\"]\n    }\n  }\n}\n"},
    {"opencode", ".config/opencode/opencode.jsonc",
     "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": {\"type\": \"remote\"}\n  "
     "},\n}\n",
     "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": {\"type\": \"remote\"},\n    "
     "\"memd\": {\n      \"type\": \"local\",\n      \"command\": [\"/opt/memd/bin/memd\", \"--stdio\"],\n      "
     "\"enabled\": true\n    }\n  },\n}\n"},
    {"vscode", ".config/Code/User/mcp.json", "{\n\t\"servers\": {},\n\t\"inputs\": []\n}",
     "{\n\t\"servers\": {\n\t\t\"memd\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": "
     "\"/opt/memd/bin/memd\",\n\t\t\t\"args\": [\"--stdio\"]\n\t\t}\n\t},\n\t\"inputs\": []\n}"},
    {"windsurf", ".codeium/windsurf/mcp_config.json", "",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/opt/memd/bin/memd\",\n      \"args\": "
     "[\"--stdio\"]\n    }\n  }\n}\n"},
    {"zed", ".config/zed/settings.json", "// Zed settings\n{\n  \"vim_mode\": true,\n}\n",
     "// Zed settings\n{\n  \"vim_mode\": true,\n  \"context_servers\": {\n    \"memd\": {\n      \"command\": "
     "\"/opt/memd/bin/memd\",\n      \"args\": [\"--stdio\"]\n    }\n  },\n}\n"},
    {"copilot", ".copilot/mcp-config.json", "{}\n",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"type\": \"local\",\n      \"command\": "
     "\"/opt/memd/bin/memd\",\n      \"args\": [\"--stdio\"],\n      \"tools\": [\"*\"]\n    }\n  }\n}\n"},
    {"vibe", ".vibe/config.toml", "theme = \"dark\"\nmcp_servers = [] # none\n\n[[models]]\nname = \"m\"\n",
     "theme = \"dark\"\n\n[[models]]\nname = \"m\"\n\n# memd: begin\n[[mcp_servers]]\nname = \"memd\"\ntransport = "
     "\"stdio\"\ncommand = \"/opt/memd/bin/memd\"\nargs = [\"--stdio\"]\n# memd: end\n"},
    {"goose", ".config/goose/config.yaml",
     "GOOSE_MODEL: x # mine\nextensions:\n  # shell\n  developer:\n    enabled: true\n\nGOOSE_MODE: auto\n",
     "GOOSE_MODEL: x # mine\nextensions:\n  memd:\n    enabled: true\n    type: stdio\n    name: memd\n    "
     "description: "
     "What was done, said and decided in earlier sessions\n    timeout: 300\n    cmd: \"/opt/memd/bin/memd\"\n    "
     "args: "
     "[\"--stdio\"]\n  # shell\n  developer:\n    enabled: true\n\nGOOSE_MODE: auto\n"},
    {"openhands", ".openhands/mcp.json", "{}\n",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/opt/memd/bin/memd\",\n      \"args\": "
     "[\"--stdio\"]\n    }\n  }\n}\n"},
    {"amp", ".config/amp/settings.json", "{\n  \"amp.showCosts\": false\n}\n",
     "{\n  \"amp.showCosts\": false,\n  \"amp.mcpServers\": {\n    \"memd\": {\n      \"command\": "
     "\"/opt/memd/bin/memd\",\n      \"args\": [\"--stdio\"]\n    }\n  }\n}\n"},
};

TEST(Registration, WritesEachNotation) {
  for (const GoldenSetup& golden : kGolden) {
    SCOPED_TRACE(golden.client);
    const Home h;
    write(h.home() / golden.file, golden.before);
    const auto before = h.files();
    const auto done = run(h.registration(), golden.client, false);
    ASSERT_TRUE(done) << done.error().message();
    if (std::string_view(golden.client) != "gemini") {  // its hook is in the same file
      EXPECT_EQ(read(h.home() / golden.file), golden.after);
    }
    const auto after = h.files();
    ASSERT_TRUE(run(h.registration(), golden.client, false));
    EXPECT_EQ(h.files(), after) << "a second time changes nothing";
    ASSERT_TRUE(run(h.registration(), golden.client, true));
    if (std::string_view(golden.client) == "cline") {
      EXPECT_EQ(read(h.home() / golden.file), "{}\n");  // an entry of memd existed before
    } else {
      EXPECT_EQ(h.files(), before);
    }
  }
}

TEST(Registration, HookAndServerInOneFile) {
  const Home h;
  const fs::path file = h.home() / ".gemini/settings.json";
  write(file, kGolden[4].before);
  ASSERT_TRUE(run(h.registration(), "gemini", false, ClientScope::user, {}, true));
  EXPECT_EQ(read(file), kGolden[4].after);
  ASSERT_TRUE(run(h.registration(), "gemini", false));
  EXPECT_THAT(read(file), HasSubstr("\"SessionStart\": ["));
  EXPECT_THAT(read(file), HasSubstr("/opt/memd/bin/memd hook session-start"));
  EXPECT_THAT(read(h.home() / ".gemini/skills/memd/SKILL.md"), HasSubstr("name: memd\n"));
  ASSERT_TRUE(run(h.registration(), "gemini", true));
  EXPECT_EQ(read(file), kGolden[4].before);
}

TEST(Registration, AMissingFileIsMadeAndGoesAgain) {
  for (const ClientInfo& client : clients()) {
    SCOPED_TRACE(client.key);
    const Home h;
    const fs::path file = config_of(h, client.key);
    ASSERT_TRUE(run(h.registration(), client.key, false));
    EXPECT_THAT(read(file), HasSubstr("/opt/memd/bin/memd"));
    const auto there = h.registration().registered(client, ClientScope::user, {});
    ASSERT_TRUE(there) << there.error().message();
    EXPECT_EQ(*there, h.registration().wanted());
    EXPECT_TRUE(is_here(client, h.places()));
    struct stat st {};
    ASSERT_EQ(::stat(file.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777U, 0600U);
    ASSERT_TRUE(run(h.registration(), client.key, true));
    EXPECT_THAT(h.files(), IsEmpty());
  }
}

TEST(Registration, ChangesOfOthersAreKept) {
  const Home h;
  const fs::path file = config_of(h, "cursor");
  write(file, "{\n  \"mcpServers\": {}\n}\n");
  ASSERT_TRUE(run(h.registration(), "cursor", false));
  std::string text = read(file);
  text.replace(text.find("{\n"), 2, "{\n  \"new\": 1, // by hand\n");
  write(file, text);
  ASSERT_TRUE(run(h.registration(), "cursor", true));
  EXPECT_EQ(read(file), "{\n  \"new\": 1 // by hand\n}\n");
}

TEST(Registration, AnotherPathReplacesTheOldOne) {
  const Home h;
  const fs::path file = config_of(h, "codex");
  write(file, "a = 1\n");
  ASSERT_TRUE(run(h.registration("/old/memd"), "codex", false));
  ASSERT_TRUE(run(h.registration("/new place/memd", {"--data-dir", "/d"}), "codex", false));
  EXPECT_THAT(read(file), HasSubstr("command = \"/new place/memd\"\nargs = [\"--data-dir\",\"/d\",\"--stdio\"]\n"));
  EXPECT_THAT(read(file), Not(HasSubstr("/old/memd")));
  EXPECT_THAT(read(h.home() / ".codex/hooks.json"),
              HasSubstr("'/new place/memd' --data-dir /d hook session-start 2>/dev/null || true"));
  const auto there = h.registration().registered(*find_client("codex"), ClientScope::user, {});
  ASSERT_TRUE(there);
  EXPECT_THAT(*there, testing::ElementsAre("/new place/memd", "--data-dir", "/d", "--stdio"));
  ASSERT_TRUE(run(h.registration(), "codex", true));
  EXPECT_EQ(read(file), "a = 1\n");
}

TEST(Registration, AServerOfSomebodyElseIsLeftAloneAndSaidToBeThere) {
  const Home h;
  write(config_of(h, "codex"), "[mcp_servers.memd]\ncommand = \"/old/memd\"\n");
  const auto edits = h.registration().plan(*find_client("codex"), ClientScope::user, {}, false, true);
  ASSERT_TRUE(edits);
  EXPECT_EQ(edits->front().change, Change::none);
  EXPECT_THAT(edits->front().note, HasSubstr("left alone"));
  const auto there = h.registration().registered(*find_client("codex"), ClientScope::user, {});
  ASSERT_TRUE(there);
  EXPECT_THAT(*there, testing::ElementsAre("a server memd without the marks of memd"));
}

TEST(Registration, ABrokenFileIsNamedAndStaysAsItIs) {
  for (const GoldenSetup& golden : kGolden) {
    if (std::string_view(golden.file).ends_with(".toml")) continue;  // memd does not parse TOML
    SCOPED_TRACE(golden.client);
    const Home h;
    write(h.home() / golden.file, "{\n  \"memd\": 1\n  \"b\": [\n");
    const auto before = h.files();
    const auto done = run(h.registration(), golden.client, false);
    ASSERT_FALSE(done);
    EXPECT_TRUE(done.error().is(Errc::bad_config));
    EXPECT_THAT(done.error().context, HasSubstr((h.home() / golden.file).string() + ":"));
    EXPECT_THAT(done.error().context, testing::ContainsRegex("(json.?:3|yaml:[2-4]): "));
    EXPECT_EQ(h.files(), before);
    EXPECT_FALSE(run(h.registration(), golden.client, true));
    EXPECT_EQ(h.files(), before);
  }
}

TEST(Registration, AFileWithoutMemdNeedsNotBeReadToTakeMemdOut) {
  for (const char* text : {"{\"theme\": \"x\",}", "[]", "{{{"}) {
    const Home h;
    write(h.home() / ".gemini/settings.json", text);
    const auto done = run(h.registration(), "gemini", true);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(read(h.home() / ".gemini/settings.json"), text);
  }
}

// Returns all directories below a home.
std::vector<std::string> directories(const fs::path& home) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(home))
    if (entry.is_directory()) out.push_back(entry.path().lexically_relative(home).string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Registration, DirectoriesOfMemdGoAndThoseOfOthersStay) {
  for (const ClientInfo& client : clients()) {
    SCOPED_TRACE(client.key);
    const Home h;
    ASSERT_TRUE(run(h.registration(), client.key, false));
    ASSERT_TRUE(run(h.registration(), client.key, true));
    EXPECT_THAT(directories(h.home()), IsEmpty());
  }
  const Home h;
  fs::create_directories(h.home() / ".claude/skills");
  ASSERT_TRUE(run(h.registration(), "claude-code", false));
  ASSERT_TRUE(run(h.registration(), "claude-code", true));
  EXPECT_THAT(directories(h.home()), testing::ElementsAre(".claude", ".claude/skills"));
}

TEST(Registration, WhatKilledRunsLeftGoesAndWhatOthersWriteStays) {
  const Home h;
  fs::create_directories(h.home() / ".claude");
  const std::string of_dead = ".memd-new-" + std::to_string(test::dead_process()) + "-1";
  const std::string of_living = ".memd-new-" + std::to_string(::getpid()) + "-77";
  for (const fs::path& directory : {h.home(), h.home() / ".claude"})
    for (const std::string& name : {of_dead, of_living, std::string(".memd-new-x"), std::string(".memd-new-1.md")})
      write(directory / name, "a copy");
  tidy(h.registration(), "claude-code");
  for (const fs::path& directory : {h.home(), h.home() / ".claude"}) {
    EXPECT_FALSE(fs::exists(directory / of_dead));
    for (const std::string& name : {of_living, std::string(".memd-new-x"), std::string(".memd-new-1.md")})
      EXPECT_TRUE(fs::exists(directory / name)) << name;
  }
}

TEST(Registration, AProjectsFileNamesTheProgramAsOthersFindIt) {
  const Home h;
  fs::create_directories(h.project());
  const Registration r(h.places(), shared_program(), h.home() / "setup");
  for (const ClientInfo& client : clients())
    (void)run(r, client.key, false, ClientScope::project, h.project());
  EXPECT_THAT(read(h.project() / ".mcp.json"), HasSubstr("\"command\": \"memd\""));
  EXPECT_THAT(read(h.project() / ".claude/settings.json"), HasSubstr("|| memd hook session-start"));
  for (const auto& [file, text] : h.files())
    if (file.starts_with(h.project().string()) && !file.ends_with("SKILL.md"))
      EXPECT_THAT(text, testing::AllOf(HasSubstr("memd"), Not(HasSubstr("/memd")), Not(HasSubstr("--data-dir"))))
          << file;
}

TEST(Registration, ALinkIsFollowedAndStays) {
  const Home h;
  const fs::path dotfile = h.home() / "dotfiles" / "mcp.json";
  write(dotfile, "{}");
  ::chmod(dotfile.c_str(), 0640);
  fs::create_directories(h.home() / ".cursor");
  fs::create_symlink("../dotfiles/mcp.json", h.home() / ".cursor/mcp.json");
  ASSERT_TRUE(run(h.registration(), "cursor", false));
  EXPECT_TRUE(fs::is_symlink(h.home() / ".cursor/mcp.json"));
  EXPECT_THAT(read(dotfile), HasSubstr("/opt/memd/bin/memd"));
  struct stat st {};
  ASSERT_EQ(::stat(dotfile.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777U, 0640U);
  ASSERT_TRUE(run(h.registration(), "cursor", true));
  EXPECT_TRUE(fs::is_symlink(h.home() / ".cursor/mcp.json"));
  EXPECT_EQ(read(dotfile), "{}");

  fs::remove(dotfile);  // a dangling link
  ASSERT_TRUE(run(h.registration(), "cursor", false));
  EXPECT_TRUE(fs::is_symlink(h.home() / ".cursor/mcp.json"));
  EXPECT_THAT(read(dotfile), HasSubstr("/opt/memd/bin/memd"));
}

TEST(Registration, WhatTheClientWritesMeanwhileIsKept) {
  const Home h;
  const fs::path file = config_of(h, "claude-code");
  write(file, "{\"numStartups\": 1}");
  const Registration r = h.registration();
  auto edits = r.plan(*find_client("claude-code"), ClientScope::user, {}, false, true);
  ASSERT_TRUE(edits);
  write(file, "{\"numStartups\": 2}");
  ASSERT_TRUE(r.apply(edits->front()));
  EXPECT_THAT(read(file), HasSubstr("\"numStartups\": 2, \"mcpServers\": {\"memd\""));
}

TEST(Registration, KilledInTheMiddleLeavesTheOldBytesOrTheNew) {
  const Home h;
  const fs::path file = config_of(h, "cursor");
  const std::string before = "{\n  \"a\": 1\n}\n";
  write(file, before);
  ASSERT_TRUE(run(h.registration(), "cursor", false, ClientScope::user, {}, true));
  const std::string after = read(file);
  for (int i = 0; i < 20; ++i) {
    write(file, before);
    const auto work = [&] {
      const Registration r = h.registration();
      for (int round = 0; round < 1000; ++round)
        if (!run(r, "cursor", false, ClientScope::user, {}, true) || !run(r, "cursor", true)) return false;
      return true;
    };
    EXPECT_TRUE(test::killed_during(work, std::chrono::microseconds(200 + 311 * i % 2500)));
    const std::string text = read(file);
    EXPECT_TRUE(text == before || text == after) << text;
  }
  tidy(h.registration(), "cursor");
  for (const auto& [name, text] : h.files())
    EXPECT_THAT(name, Not(HasSubstr(".memd-new-"))) << "a copy of the client's file";
}

TEST(Registration, OfAProject) {
  const Home h;
  fs::create_directories(h.project());
  for (const ClientInfo& client : clients()) {
    SCOPED_TRACE(client.key);
    const auto done = run(h.registration(), client.key, false, ClientScope::project, h.project());
    const bool has_none = client.project_files.empty();
    EXPECT_EQ(!done, has_none);
    EXPECT_TRUE(!has_none || done.error().is(Errc::unsupported));
  }
  for (const char* file : {".mcp.json", ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json",
                           "opencode.json", ".vscode/mcp.json", ".zed/settings.json", ".claude/skills/memd/SKILL.md"})
    EXPECT_TRUE(fs::exists(h.project() / file)) << file;
  for (const ClientInfo& client : clients())
    (void)run(h.registration(), client.key, true, ClientScope::project, h.project());
  EXPECT_THAT(h.files(), IsEmpty());
}

TEST(Registration, ASkillThatSomebodyChangedIsLeftAlone) {
  const Home h;
  const fs::path skill = h.home() / ".claude/skills/memd/SKILL.md";
  ASSERT_TRUE(run(h.registration(), "claude-code", false));
  write(skill, read(skill) + "mine\n");
  ASSERT_TRUE(run(h.registration(), "claude-code", true));
  EXPECT_THAT(read(skill), testing::EndsWith("mine\n"));
}

TEST(Registration, ThePluginOfClaudeCodeIsEnough) {
  const Home h;
  write(h.home() / ".claude/settings.json", R"({"enabledPlugins": {"memd@memd": true}})");
  const auto before = h.files();
  const auto edits = h.registration().plan(*find_client("claude-code"), ClientScope::user, {}, false, false);
  ASSERT_TRUE(edits);
  EXPECT_THAT(edits->front().note, HasSubstr("plugin"));
  ASSERT_TRUE(run(h.registration(), "claude-code", false));
  EXPECT_EQ(h.files(), before);
}

TEST(Registration, NestedServersOfOpencode2) {
  const Home h;
  const fs::path file = h.home() / ".config/opencode/opencode.json";
  write(
      file,
      "{\n  \"mcp\": {\n    \"servers\": {\n      \"x\": {\"type\": \"local\", \"command\": [\"x\"]}\n    }\n  }\n}\n");
  ASSERT_TRUE(run(h.registration(), "opencode", false));
  EXPECT_THAT(read(file), HasSubstr("\"command\": [\"x\"]},\n      \"memd\": {"));
}

TEST(Registration, FindsClientsByWhatTheyLeave) {
  const Home h;
  EXPECT_FALSE(is_here(*find_client("zed"), h.places()));
  fs::create_directories(h.home() / ".config/zed");
  EXPECT_TRUE(is_here(*find_client("zed"), h.places()));
  ClientPlaces p = h.places();
  write(h.home() / "bin/codex", "");
  p.search_path = "/nowhere:" + (h.home() / "bin").string();
  EXPECT_FALSE(is_here(*find_client("codex"), p)) << "it cannot be run";
  ::chmod((h.home() / "bin/codex").c_str(), 0700);
  EXPECT_TRUE(is_here(*find_client("codex"), p));
}

TEST(Registration, AVariableOfTheClientNamesAnotherPlace) {
  const Home h;
  ClientPlaces p = h.places();
  p.variables = {{"CLAUDE_CONFIG_DIR", "/c"},
                 {"OPENCODE_CONFIG", "/o.json"},
                 {"KIMI_CODE_HOME", "/k"},
                 {"OPENHANDS_PERSISTENCE_DIR", "/h"}};
  const auto only_file = [&](std::string_view client) {
    const auto files = config_files(*find_client(client), ClientScope::user, p, {});
    return files.size() == 1 ? files.front().path : fs::path();
  };
  EXPECT_EQ(only_file("claude-code"), "/c/.claude.json");
  EXPECT_EQ(hook_file(*find_client("claude-code"), ClientScope::user, p, {})->path, "/c/settings.json");
  EXPECT_EQ(only_file("opencode"), "/o.json");
  EXPECT_EQ(only_file("kimi"), "/k/mcp.json");
  EXPECT_EQ(only_file("openhands"), "/h/mcp.json");
  EXPECT_EQ(only_file("codex"), h.home() / ".codex/config.toml");
}

TEST(Registration, EachEditorThatHasTheExtensionIsRegistered) {
  const Home h;
  for (const char* editor : {"VSCodium", "Cursor"})
    fs::create_directories(h.home() / ".config" / editor / "User/globalStorage/rooveterinaryinc.roo-cline");
  EXPECT_EQ(config_files(*find_client("roo-code"), ClientScope::user, h.places(), {}).size(), 2U);
}

TEST(Registration, OfTwoNamesTheOneThatIsThereIsUsed) {
  const Home h;
  write(h.home() / ".config/kilo/kilo.jsonc", "{}");
  EXPECT_EQ(config_of(h, "kilo"), h.home() / ".config/kilo/kilo.jsonc");
}

TEST(Registration, PlacesOfAMac) {
  const Home h;
  ClientPlaces p = h.places();
  p.mac = true;
  EXPECT_EQ(config_files(*find_client("vscode"), ClientScope::user, p, {}).front().path,
            h.home() / "Library/Application Support/Code/User/mcp.json");
}

TEST(Registration, TheLinkOfAPackageManagerOutlastsTheDirectoryOfAVersion) {
  const Home h;
  const fs::path cellar = h.home() / "Cellar/memd/0.1.0/bin/memd";
  const fs::path link = h.home() / "bin/memd";
  write(cellar, "");
  fs::permissions(cellar, fs::perms::owner_all);
  EXPECT_EQ(lasting_path(cellar, link.parent_path().native()), cellar);
  fs::create_directories(link.parent_path());
  fs::create_symlink("../Cellar/memd/0.1.0/bin/memd", link);
  EXPECT_EQ(lasting_path(cellar, "/nowhere:" + link.parent_path().native()), link);
  EXPECT_EQ(lasting_path("/bin/sh", link.parent_path().native()), "/bin/sh");
  const fs::path other = h.home() / "other/memd";
  write(other, "");
  EXPECT_EQ(lasting_path(other, link.parent_path().native()), other);
  EXPECT_EQ(lasting_path(cellar, cellar.parent_path().native()), cellar);
}

TEST(Registration, ShowsTheLinesThatDiffer) {
  EXPECT_EQ(difference(FileBytes("a\nb\nc\n"), FileBytes("a\nB\nc\n")), "    2 - b\n    2 + B\n");
  EXPECT_EQ(difference({}, FileBytes("x\n")), "    1 + x\n");
}

}  // namespace
}  // namespace memd::setup
