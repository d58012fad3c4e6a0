// The directories that variables of the environment and profiles' names lead to.
#include "adapters/adapter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;

struct Place {
  Platform platform{};
  const char* variable = nullptr;
  fs::path root;       // where the variable is "/mnt/x"
  fs::path otherwise;  // read in either case
};

const std::vector<Place> kPlaces{
    {Platform::claude_code, "CLAUDE_CONFIG_DIR", "/mnt/x/projects", "/home/ada/.claude/projects"},
    {Platform::codex, "CODEX_HOME", "/mnt/x/sessions", "/home/ada/.codex/sessions"},
    {Platform::gemini, "GEMINI_CLI_HOME", "/mnt/x/.gemini/tmp", "/home/ada/.gemini/tmp"},
    {Platform::opencode, "XDG_DATA_HOME", "/mnt/x/opencode", "/home/ada/.local/share/opencode"},
    {Platform::kilo, "XDG_DATA_HOME", "/mnt/x/kilo", "/home/ada/.local/share/kilo"},
    {Platform::vibe, "VIBE_HOME", "/mnt/x/logs/session/unified", "/home/ada/.vibe/logs/session/unified"},
    {Platform::openhands, "OPENHANDS_PERSISTENCE_DIR", "/mnt/x/conversations", "/home/ada/.openhands/conversations"},
    {Platform::openhands, "OPENHANDS_CONVERSATIONS_DIR", "/mnt/x", "/home/ada/.openhands/conversations"},
    {Platform::cline, "CLINE_DIR", "/mnt/x/data", "/home/ada/.cline/data"},
    {Platform::cline, "CLINE_DATA_DIR", "/mnt/x", "/home/ada/.cline/data"},
    {Platform::cursor, "XDG_CONFIG_HOME", "/mnt/x/Cursor/User", "/home/ada/.config/Cursor/User"},
    {Platform::grok, "GROK_HOME", "/mnt/x/sessions", "/home/ada/.grok/sessions"},
    {Platform::qwen, "QWEN_HOME", "/mnt/x/projects", "/home/ada/.qwen/projects"},
    {Platform::qwen, "QWEN_RUNTIME_DIR", "/mnt/x/projects", "/home/ada/.qwen/projects"},
    {Platform::copilot, "COPILOT_HOME", "/mnt/x/session-state", "/home/ada/.copilot/session-state"},
    {Platform::kimi, "KIMI_CODE_HOME", "/mnt/x/sessions", "/home/ada/.kimi-code/sessions"},
    {Platform::kimi, "KIMI_SHARE_DIR", "/mnt/x/sessions", "/home/ada/.kimi/sessions"},
};

bool contains(const std::vector<fs::path>& roots, const fs::path& root) {
  return std::count(roots.begin(), roots.end(), root) == 1;
}

TEST(HomeLayout, VariablesAddDirectoriesToTheDefaults) {
  for (const Place& place : kPlaces) {
    HomeLayout home{"/home/ada", {}, nullptr};
    const Adapter* adapter = find_adapter(place.platform);
    ASSERT_NE(adapter, nullptr);
    EXPECT_TRUE(contains(adapter->roots(home), place.otherwise)) << place.variable;
    EXPECT_FALSE(contains(adapter->roots(home), place.root)) << place.variable;
    home.directory_of = [&](const char* name) {
      return std::string_view(name) == place.variable ? fs::path("/mnt/x") : fs::path();
    };
    EXPECT_TRUE(contains(adapter->roots(home), place.otherwise)) << place.variable;
    EXPECT_TRUE(contains(adapter->roots(home), place.root)) << place.variable;
    home.override_roots = {"/mnt/only"};
    EXPECT_FALSE(contains(adapter->roots(home), place.root)) << place.variable << " against the configuration";
  }
}

TEST(HomeLayout, AiderIsLookedForWhereOtherAgentsWorked) {
  HomeLayout home{"/home/ada", {}, nullptr};
  home.projects = {"/home/ada/kite", "/srv/weir"};
  const Adapter& aider = *find_adapter(Platform::aider);
  EXPECT_EQ(aider.roots(home), home.projects);
  const auto source = aider.classify("/srv/weir", "/srv/weir/.aider.input.history");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->path, "/srv/weir/.aider.chat.history.md");
  EXPECT_FALSE(aider.classify("/srv/weir", "/srv/weir/src/.aider.chat.history.md"));
  EXPECT_FALSE(aider.looks_into("/srv/weir", "/srv/weir/src"));
  home.override_roots = {"/mnt/only"};
  EXPECT_EQ(aider.roots(home), home.override_roots);
}

TEST(HomeLayout, AVariableThatNamesTheDefaultChangesNothing) {
  HomeLayout home{"/home/ada", {}, nullptr};
  for (const auto& [platform, name] : {std::pair{Platform::claude_code, ".claude"}, {Platform::codex, ".codex"}}) {
    const auto before = find_adapter(platform)->roots({"/home/ada", {}, nullptr});
    home.directory_of = [name = name](const char*) { return fs::path("/home/ada") / name; };
    EXPECT_EQ(find_adapter(platform)->roots(home), before);
  }
}

}  // namespace
}  // namespace memd
