#include "daemon/setup/clients.hpp"

#include "schemas/base/ascii.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace memd::setup {
namespace fs = std::filesystem;
namespace {

// Read in November 2026. "Watched": the client was observed reading these files, see docs/clients.md.
std::span<const ClientInfo> table() {
  using enum ConfigFormat;
  using enum EntryShape;
  static const std::array kClients = std::to_array<ClientInfo>({
      {"claude-code",
       "Claude Code",
       {"claude"},
       {"${CLAUDE_CONFIG_DIR:-~}/.claude.json"},
       {".mcp.json"},
       json,
       "mcpServers",
       stdio,
       "code.claude.com/docs/en/mcp, /hooks, /skills; scopes user and project. Watched with 2.1",
       {"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json", ".claude/settings.json"},
       "${CLAUDE_CONFIG_DIR:-~/.claude}/skills",
       ".claude/skills",
       "${CLAUDE_CONFIG_DIR:-~/.claude}"},
      {"cursor",
       "Cursor",
       {"cursor", "cursor-agent"},
       {"~/.cursor|mcp.json"},
       {".cursor/mcp.json"},
       jsonc,
       "mcpServers",
       command,
       "cursor.com/docs/context/mcp, /skills",
       {},
       "~/.cursor/skills",
       ".cursor/skills"},
      {"cline",
       "Cline",
       {"cline"},
       {"${CLINE_MCP_SETTINGS_PATH:-~/.cline|data/settings/cline_mcp_settings.json}",
        "$editors/globalStorage/saoudrizwan.claude-dev|settings/cline_mcp_settings.json"},
       {},
       json,
       "mcpServers",
       command,
       "docs.cline.bot/mcp/mcp-overview; the extension keeps its own in each editor. Watched with CLI 3.0"},
      {"codex",
       "Codex",
       {"codex"},
       {"${CODEX_HOME:-~/.codex}|config.toml"},
       {".codex/config.toml"},
       toml,
       "mcp_servers",
       command,
       "developers.openai.com/codex/mcp, /config-reference, /skills, /hooks; the project's if it is trusted. Watched "
       "with 0.171",
       {"${CODEX_HOME:-~/.codex}/hooks.json", ".codex/hooks.json"},
       "${CODEX_HOME:-~/.codex}/skills",
       ".codex/skills"},
      {"gemini",
       "Gemini CLI",
       {"gemini"},
       {"~/.gemini|settings.json"},
       {".gemini/settings.json"},
       json_comments,
       "mcpServers",
       command,
       "geminicli.com/docs/tools/mcp-server, /hooks/reference, /cli/skills: comments allowed, trailing commas not. "
       "Watched with 0.61",
       {"~/.gemini/settings.json", ".gemini/settings.json", "", 5000},
       "~/.gemini/skills",
       ".gemini/skills"},
      {"opencode",
       "opencode",
       {"opencode"},
       {"${OPENCODE_CONFIG:-$config/opencode|opencode.json}", "${OPENCODE_CONFIG:-$config/opencode|opencode.jsonc}",
        "${OPENCODE_CONFIG:-$config/opencode|config.json}"},
       {"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
       jsonc,
       "mcp",
       local_array,
       "opencode.ai/docs/config, /mcp-servers, /skills: version 2 nests servers as mcp.servers and still reads the "
       "flat "
       "form. Watched with 1.18",
       {},
       "$config/opencode/skills",
       ".opencode/skills",
       "~/.local/share/opencode"},
      {"vscode",
       "VS Code",
       {"code", "code-insiders", "codium"},
       {"$vscode|mcp.json"},
       {".vscode/mcp.json"},
       jsonc,
       "servers",
       stdio,
       "code.visualstudio.com/docs/copilot/reference/mcp-configuration: mcp.json of the user profile"},
      {"windsurf",
       "Windsurf",
       {"windsurf"},
       {"~/.codeium/windsurf|mcp_config.json"},
       {},
       jsonc,
       "mcpServers",
       command,
       "docs.windsurf.com/windsurf/cascade/mcp"},
      {"zed",
       "Zed",
       {"zed", "zeditor"},
       {"$config/zed|settings.json"},
       {".zed/settings.json"},
       jsonc,
       "context_servers",
       command,
       "zed.dev/docs/ai/mcp, /configuring-zed"},
      {"kilo",
       "Kilo",
       {"kilo"},
       {"${KILO_CONFIG:-$config/kilo|kilo.json}", "${KILO_CONFIG:-$config/kilo|kilo.jsonc}",
        "${KILO_CONFIG:-$config/kilo|opencode.json}", "${KILO_CONFIG:-$config/kilo|opencode.jsonc}"},
       {"kilo.json", "kilo.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc"},
       jsonc,
       "mcp",
       local_array,
       "the configuration reference in the program, 7.7",
       {},
       {},
       {},
       "~/.local/share/kilo"},
      {"qwen",
       "Qwen Code",
       {"qwen"},
       {"~/.qwen|settings.json"},
       {".qwen/settings.json"},
       json_comments,
       "mcpServers",
       command,
       "`qwen mcp add` of 0.24; qwenlm.github.io/qwen-code-docs: hooks, skills",
       {"~/.qwen/settings.json", ".qwen/settings.json", "", 5000},
       "~/.qwen/skills",
       ".qwen/skills"},
      {"copilot",
       "GitHub Copilot CLI",
       {"copilot"},
       {"${COPILOT_HOME:-~/.copilot}|mcp-config.json"},
       {},
       json,
       "mcpServers",
       local_tools,
       "`copilot mcp add` of 1.0",
       {},
       "${COPILOT_HOME:-~/.copilot}/skills"},
      {"droid",
       "Factory Droid",
       {"droid"},
       {"~/.factory|mcp.json"},
       {".factory/mcp.json"},
       json,
       "mcpServers",
       stdio,
       "`droid mcp add` of 0.215; docs.factory.ai/cli/configuration/hooks-guide, /skills",
       {"~/.factory/settings.json", ".factory/settings.json"},
       "~/.factory/skills",
       ".factory/skills"},
      {"kimi",
       "Kimi Code",
       {"kimi"},
       {"${KIMI_CODE_HOME:-~/.kimi-code}|mcp.json"},
       {".kimi-code/mcp.json"},
       json,
       "mcpServers",
       command,
       "the skill mcp-config in the program, 2.1",
       {},
       "${KIMI_CODE_HOME:-~/.kimi-code}/skills",
       ".kimi-code/skills"},
      {"vibe",
       "Mistral Vibe",
       {"vibe"},
       {"${VIBE_HOME:-~/.vibe}|config.toml"},
       {".vibe/config.toml"},
       toml_list,
       "mcp_servers",
       command,
       "docs.mistral.ai/mistral-vibe: [[mcp_servers]]",
       {},
       "${VIBE_HOME:-~/.vibe}/skills",
       ".vibe/skills"},
      {"openhands",
       "OpenHands",
       {"openhands"},
       {"${OPENHANDS_PERSISTENCE_DIR:-~/.openhands}|mcp.json"},
       {},
       json,
       "mcpServers",
       command,
       "`openhands mcp add` of 1.16; its SDK reads skills below the home only",
       {},
       "~/.openhands/skills"},
      {"crush",
       "Crush",
       {"crush"},
       {"${CRUSH_GLOBAL_CONFIG:-$config/crush|crush.json}"},
       {"crush.json", ".crush.json"},
       json,
       "mcp",
       stdio,
       "charmbracelet/crush, README: MCPs; internal/config/load.go: GlobalConfig, $CRUSH_GLOBAL_CONFIG names a folder"},
      {"continue",
       "Continue",
       {},
       {"~/.continue|mcpServers/memd.json"},
       {".continue/mcpServers/memd.json"},
       json,
       "mcpServers",
       command,
       "docs.continue.dev/customize/deep-dives/mcp; continuedev/continue core/context/mcp/json/loadJsonMcpConfigs.ts: "
       "each file of mcpServers is read, by the editors' extensions"},
      {"kiro",
       "Kiro",
       {"kiro", "kiro-cli"},
       {"~/.kiro|settings/mcp.json"},
       {".kiro/settings/mcp.json"},
       json,
       "mcpServers",
       command,
       "kiro.dev/docs/mcp/configuration, /cli/mcp/configuration: editor and command line read the same files"},
      {"amazon-q",
       "Amazon Q",
       {},
       {"~/.aws/amazonq|mcp.json"},
       {".amazonq/mcp.json"},
       json,
       "mcpServers",
       command,
       "aws/amazon-q-developer-cli crates/chat-cli/src/cli/agent/mod.rs @15cc8f3cd18c: the default agent reads the "
       "user's file; agents with useLegacyMcpJson both"},
      {"roo-code",
       "Roo Code",
       {},
       {"$editors/globalStorage/rooveterinaryinc.roo-cline|settings/mcp_settings.json"},
       {".roo/mcp.json"},
       json,
       "mcpServers",
       command,
       "docs.roocode.com/features/mcp/using-mcp-in-roo; RooCodeInc/Roo-Code src/services/mcp/McpHub.ts @18305a9635fb"},
      {"kilo-code",
       "Kilo Code",
       {},
       {"$editors/globalStorage/kilocode.kilo-code|settings/mcp_settings.json"},
       {".kilocode/mcp.json"},
       json,
       "mcpServers",
       command,
       "Kilo-Org/kilocode src/services/mcp/McpHub.ts @e8f97b110fe8: up to 5; since 7 the extension reads the files of "
       "kilo (kilo.ai/docs/automate/mcp/using-in-kilo-code)"},
      {"junie",
       "Junie",
       {"junie"},
       {"~/.junie|mcp/mcp.json"},
       {".junie/mcp/mcp.json"},
       json,
       "mcpServers",
       command,
       "jetbrains.com/help/junie/model-context-protocol-mcp.html; the files as dyoshikawa/rulesync writes them"},
      {"goose",
       "Goose",
       {},  // another program of this name is more frequent
       {"$config/goose|config.yaml"},
       {},
       yaml,
       "extensions",
       command,
       "block/goose documentation/docs/guides/config-files.md @09f7063a8daf"},
      {"amp",
       "Amp",
       {"amp"},
       {"$config/amp|settings.json", "$config/amp|settings.jsonc"},
       {".amp/settings.json", ".amp/settings.jsonc"},
       jsonc,
       "amp.mcpServers",
       command,
       "ampcode.com/manual: MCP; a project's needs approval"},
      {"trae",
       "Trae",
       {"trae"},
       {"$applications/Trae/User|mcp.json"},
       {".trae/mcp.json"},
       json,
       "mcpServers",
       command,
       "docs.trae.ai/ide/model-context-protocol; the user's file by pathintegral-institute/mcpm.sh issue 92"},
      {"warp",
       "Warp",
       {"warp-terminal", "warp"},
       {"~/.warp|.mcp.json"},
       {".warp/.mcp.json"},
       json,
       "mcpServers",
       command,
       "warpdotdev/warp, skill agent-add-mcp"},
  });
  return kClients;
}

constexpr std::array<std::string_view, 5> kEditors{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"};
constexpr std::size_t kVsCodes = 3;  // the first of them are VS Code itself

bool is_there(const fs::path& path) {
  std::error_code ec;
  return fs::exists(fs::symlink_status(path, ec));
}

// A place of a client on this machine. `mark`: is there if the client has been used.
struct Place {
  fs::path mark;
  fs::path path;
  bool always = false;  // a file beside which nothing shows whether the client has been used
};

// Returns ${NAME:-DEFAULT}, and what follows, with the value of NAME, or the default, in its place.
std::string without_variable(std::string_view place, const ClientPlaces& p) {
  if (!place.starts_with("${")) return std::string(place);
  const auto dash = place.find(":-");
  const auto end = place.find('}');
  const auto set = p.variables.find(place.substr(2, dash - 2));
  const std::string_view other = place.substr(dash + 2, end - dash - 2);
  return (set != p.variables.end() ? set->second : std::string(other)) + std::string(place.substr(end + 1));
}

std::vector<Place> places_of(std::string_view written, const ClientPlaces& p) {
  const std::string place = without_variable(written, p);
  const fs::path applications = p.mac ? p.home / "Library" / "Application Support" : p.config_home;
  std::vector<std::string> starts;
  std::string_view rest = place;
  const auto cut = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  const bool is_vscode = cut("$vscode");
  if (is_vscode || cut("$editors"))
    for (std::size_t i = 0; i < (is_vscode ? kVsCodes : kEditors.size()); ++i)
      starts.push_back((applications / kEditors.at(i) / "User").string());
  else if (cut("$applications"))
    starts.push_back(applications.string());
  else if (cut("$config"))
    starts.push_back(p.config_home.string());
  else
    starts.push_back(cut("~") ? p.home.string() : std::string());
  std::vector<Place> out;
  for (const std::string& start : starts) {
    const auto bar = rest.find('|');
    const fs::path mark = start + std::string(rest.substr(0, bar));
    const bool always = bar == std::string_view::npos;
    out.push_back({mark, always ? mark : mark / rest.substr(bar + 1), always});
  }
  return out;
}

// Returns the one path that a place without alternatives names.
fs::path path_of(std::string_view place, const ClientPlaces& p) { return places_of(place, p).front().path; }

std::vector<Place> user_places(const ClientInfo& client, const ClientPlaces& p) {
  std::vector<Place> out;
  for (const std::string_view file : client.files)
    for (Place& place : places_of(file, p)) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const Place& o) { return o.mark == place.mark; });
      if (same == out.end())
        out.push_back(std::move(place));
      else if (!is_there(same->path) && is_there(place.path))
        *same = std::move(place);
    }
  return out;
}

}  // namespace

ClientPlaces ClientPlaces::of(const fs::path& home) {
  const auto variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  };
  ClientPlaces out;
  out.home = home;
  out.config_home = home / ".config";
  out.search_path = variable("PATH");
#ifdef __APPLE__
  out.mac = true;
#endif
  if (variable("HOME") != home) return out;
  if (const fs::path config = variable("XDG_CONFIG_HOME"); config.is_absolute()) out.config_home = config;
  for (const ClientInfo& client : table())
    for (const std::string_view place : client.files)
      if (place.starts_with("${")) {
        const std::string name(place.substr(2, place.find(":-") - 2));
        if (std::string value = variable(name); !value.empty()) out.variables.emplace(name, std::move(value));
      }
  return out;
}

std::span<const ClientInfo> clients() { return table(); }

const ClientInfo* find_client(std::string_view key) {
  const auto all = table();
  const auto it = std::find_if(all.begin(), all.end(), [&](const ClientInfo& c) { return c.key == key; });
  return it == all.end() ? nullptr : &*it;
}

fs::path find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const fs::path candidate = fs::path(ascii::take_until(search_path, ':')) / name;
    std::error_code ec;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, ec) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

fs::path lasting_path(const fs::path& executable, std::string_view search_path) {
  fs::path found = find_program(executable.filename().native(), search_path);
  std::error_code ec;
  return fs::is_symlink(found, ec) && fs::equivalent(found, executable, ec) ? found : executable;
}

bool is_here(const ClientInfo& client, const ClientPlaces& p) {
  for (const std::string_view program : client.programs)
    if (!find_program(program, p.search_path).empty()) return true;
  const std::vector<Place> places = user_places(client, p);
  return (!client.mark.empty() && is_there(path_of(client.mark, p))) ||
         std::any_of(places.begin(), places.end(), [](const Place& place) { return is_there(place.mark); });
}

std::vector<ConfigFile> config_files(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                     const fs::path& project) {
  std::vector<ConfigFile> out;
  const auto add = [&](fs::path path) {
    out.push_back({std::move(path), client.format, {std::string(client.servers)}, client.shape});
  };
  if (scope == ClientScope::project) {
    const auto& files = client.project_files;
    const auto there = std::find_if(files.begin(), files.end(), [&](auto file) { return is_there(project / file); });
    if (!files.empty()) add(project / (there != files.end() ? *there : files.front()));
    return out;
  }
  const std::vector<Place> places = user_places(client, p);
  for (const Place& place : places)
    if (place.always || is_there(place.mark)) add(place.path);
  if (out.empty()) add(places.front().path);
  return out;
}

std::optional<HookFile> hook_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                  const fs::path& project) {
  const ClientInfo::Hook& hook = client.hook;
  if (hook.file.empty()) return std::nullopt;
  // A client whose settings file has comments has them beside the hooks too; files of hooks only have none.
  const bool has_comments = client.format == ConfigFormat::json_comments;
  return HookFile{scope == ClientScope::user ? path_of(hook.file, p) : project / hook.project_file,
                  std::string(hook.matcher), hook.timeout, has_comments ? client.format : ConfigFormat::json};
}

std::optional<fs::path> skill_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                   const fs::path& project) {
  const bool user = scope == ClientScope::user;
  if ((user ? client.skills : client.project_skills).empty()) return std::nullopt;
  return (user ? path_of(client.skills, p) : project / client.project_skills) / "memd" / "SKILL.md";
}

}  // namespace memd::setup
