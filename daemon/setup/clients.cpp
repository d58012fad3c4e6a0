#include "daemon/setup/clients.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace memd::setup {
namespace fs = std::filesystem;
namespace {

// Read in November 2026. "Watched": the client was observed reading these files, see docs/clients.md.
const std::array<ClientInfo, 9> kClients{{
    {"claude-code",
     "Claude Code",
     {"claude"},
     "code.claude.com/docs/en/mcp, /hooks, /skills: ~/.claude.json mcpServers (scope user), .mcp.json (scope project), "
     "settings.json hooks; $CLAUDE_CONFIG_DIR moves all of it. Watched with 2.1"},
    {"cursor",
     "Cursor",
     {"cursor", "cursor-agent"},
     "cursor.com/docs/context/mcp and /skills: ~/.cursor/mcp.json, .cursor/mcp.json; ~/.cursor/skills"},
    {"cline",
     "Cline",
     {"cline"},
     "docs.cline.bot/mcp/mcp-overview: ~/.cline/data/settings/cline_mcp_settings.json, $CLINE_MCP_SETTINGS_PATH; the "
     "extension keeps its own in the globalStorage of its editor. Watched with CLI 3.0"},
    {"codex",
     "Codex",
     {"codex"},
     "developers.openai.com/codex/mcp, /config-reference, /skills, /hooks: $CODEX_HOME/config.toml [mcp_servers.NAME], "
     ".codex/config.toml of trusted projects. Watched with 0.169"},
    {"gemini",
     "Gemini CLI",
     {"gemini"},
     "geminicli.com/docs/tools/mcp-server, /hooks/reference, /cli/skills: ~/.gemini/settings.json and "
     ".gemini/settings.json, comments allowed, trailing commas not. Watched with 0.61"},
    {"opencode",
     "opencode",
     {"opencode"},
     "opencode.ai/docs/config, /mcp-servers, /skills: ~/.config/opencode/opencode.json or .jsonc, opencode.json of the "
     "project, $OPENCODE_CONFIG. Version 2 nests servers as mcp.servers and still reads the flat form. Watched with "
     "1.18"},
    {"vscode",
     "VS Code",
     {"code", "code-insiders", "codium"},
     "code.visualstudio.com/docs/copilot/reference/mcp-configuration: mcp.json of the user profile, .vscode/mcp.json; "
     "servers, with a type"},
    {"windsurf",
     "Windsurf",
     {"windsurf"},
     "docs.windsurf.com/windsurf/cascade/mcp: ~/.codeium/windsurf/mcp_config.json; none of a project"},
    {"zed",
     "Zed",
     {"zed", "zeditor"},
     "zed.dev/docs/ai/mcp, /configuring-zed: ~/.config/zed/settings.json and .zed/settings.json, context_servers, "
     "comments allowed"},
}};

fs::path path_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? fs::path(value) : fs::path();
}

bool is_there(const fs::path& path) {
  std::error_code ec;
  return fs::exists(fs::symlink_status(path, ec));
}

// Returns the directory of an editor's user profile. `editor`: "Code" for VS Code.
fs::path editor_user_directory(const ClientPlaces& p, std::string_view editor) {
  return (p.mac ? p.home / "Library" / "Application Support" : p.config_home) / editor / "User";
}

constexpr std::array<std::string_view, 3> kEditors{"Code", "Code - Insiders", "VSCodium"};

fs::path claude_directory(const ClientPlaces& p) {
  return p.claude_config_dir.empty() ? p.home / ".claude" : p.claude_config_dir;
}

fs::path codex_directory(const ClientPlaces& p) { return p.codex_home.empty() ? p.home / ".codex" : p.codex_home; }

fs::path zed_directory(const ClientPlaces& p) { return p.config_home / "zed"; }

// Returns the first path that exists, else the first.
fs::path first_of(std::initializer_list<fs::path> candidates) {
  for (const fs::path& path : candidates)
    if (is_there(path)) return path;
  return *candidates.begin();
}

ConfigFile mcp_servers(fs::path path, ConfigFormat format, EntryShape shape = EntryShape::command) {
  return {std::move(path), format, {"mcpServers"}, shape};
}

std::vector<ConfigFile> cline_files(const ClientPlaces& p) {
  const fs::path cli =
      p.cline_settings.empty() ? p.home / ".cline/data/settings/cline_mcp_settings.json" : p.cline_settings;
  std::vector<ConfigFile> out;
  if (is_there(p.home / ".cline") || !p.cline_settings.empty()) out.push_back(mcp_servers(cli, ConfigFormat::json));
  for (const std::string_view editor : {"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}) {
    const fs::path storage = editor_user_directory(p, editor) / "globalStorage" / "saoudrizwan.claude-dev";
    if (is_there(storage))
      out.push_back(mcp_servers(storage / "settings" / "cline_mcp_settings.json", ConfigFormat::json));
  }
  if (out.empty()) out.push_back(mcp_servers(cli, ConfigFormat::json));
  return out;
}

std::vector<ConfigFile> vscode_files(const ClientPlaces& p) {
  std::vector<ConfigFile> out;
  for (const std::string_view editor : kEditors)
    if (const fs::path user = editor_user_directory(p, editor); is_there(user))
      out.push_back({user / "mcp.json", ConfigFormat::jsonc, {"servers"}, EntryShape::stdio});
  if (out.empty())
    out.push_back({editor_user_directory(p, "Code") / "mcp.json", ConfigFormat::jsonc, {"servers"}, EntryShape::stdio});
  return out;
}

bool one_exists(std::initializer_list<fs::path> paths) { return std::any_of(paths.begin(), paths.end(), is_there); }

}  // namespace

ClientPlaces ClientPlaces::of(const fs::path& home) {
  ClientPlaces out;
  out.home = home;
  out.config_home = home / ".config";
  out.search_path = path_variable("PATH").string();
#ifdef __APPLE__
  out.mac = true;
#endif
  if (path_variable("HOME") != home) return out;
  if (const fs::path config = path_variable("XDG_CONFIG_HOME"); config.is_absolute()) out.config_home = config;
  out.claude_config_dir = path_variable("CLAUDE_CONFIG_DIR");
  out.codex_home = path_variable("CODEX_HOME");
  out.opencode_config = path_variable("OPENCODE_CONFIG");
  out.cline_settings = path_variable("CLINE_MCP_SETTINGS_PATH");
  return out;
}

std::span<const ClientInfo> clients() { return kClients; }

const ClientInfo* find_client(std::string_view key) {
  const auto it = std::find_if(kClients.begin(), kClients.end(), [&](const ClientInfo& c) { return c.key == key; });
  return it == kClients.end() ? nullptr : &*it;
}

fs::path find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const auto colon = search_path.find(':');
    const fs::path candidate = fs::path(search_path.substr(0, colon)) / name;
    std::error_code ec;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, ec) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    if (colon == std::string_view::npos) break;
    search_path.remove_prefix(colon + 1);
  }
  return {};
}

bool is_here(const ClientInfo& client, const ClientPlaces& p) {
  for (const std::string_view program : client.programs)
    if (!find_program(program, p.search_path).empty()) return true;
  if (client.key == "claude-code") return one_exists({claude_directory(p), p.home / ".claude.json"});
  if (client.key == "cursor") return is_there(p.home / ".cursor");
  if (client.key == "codex") return is_there(codex_directory(p));
  if (client.key == "gemini") return is_there(p.home / ".gemini");
  if (client.key == "opencode") return one_exists({p.config_home / "opencode", p.home / ".local/share/opencode"});
  if (client.key == "windsurf") return is_there(p.home / ".codeium" / "windsurf");
  if (client.key == "zed") return is_there(zed_directory(p));
  if (client.key == "cline") return is_there(p.home / ".cline") || is_there(cline_files(p).front().path.parent_path());
  return std::any_of(kEditors.begin(), kEditors.end(),
                     [&](std::string_view editor) { return is_there(editor_user_directory(p, editor)); });
}

std::vector<ConfigFile> config_files(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                     const fs::path& project) {
  const bool user = scope == ClientScope::user;
  if (client.key == "claude-code") {
    if (!user) return {mcp_servers(project / ".mcp.json", ConfigFormat::json, EntryShape::stdio)};
    const fs::path file = (p.claude_config_dir.empty() ? p.home : p.claude_config_dir) / ".claude.json";
    return {mcp_servers(file, ConfigFormat::json, EntryShape::stdio)};
  }
  if (client.key == "cursor") {
    const fs::path file = (user ? p.home : project) / ".cursor" / "mcp.json";
    return {mcp_servers(file, ConfigFormat::jsonc)};
  }
  if (client.key == "cline") return user ? cline_files(p) : std::vector<ConfigFile>();
  if (client.key == "codex")
    return {
        {(user ? codex_directory(p) : project / ".codex") / "config.toml", ConfigFormat::toml, {"mcp_servers"}, {}}};
  if (client.key == "gemini")
    return {mcp_servers((user ? p.home : project) / ".gemini" / "settings.json", ConfigFormat::json_comments)};
  if (client.key == "opencode") {
    const fs::path directory = p.config_home / "opencode";
    const fs::path file =
        !user ? first_of({project / "opencode.json", project / "opencode.jsonc",
                          project / ".opencode" / "opencode.json", project / ".opencode" / "opencode.jsonc"})
        : !p.opencode_config.empty()
            ? p.opencode_config
            : first_of({directory / "opencode.json", directory / "opencode.jsonc", directory / "config.json"});
    return {{file, ConfigFormat::jsonc, {"mcp"}, EntryShape::local_array}};
  }
  if (client.key == "vscode") {
    if (user) return vscode_files(p);
    return {{project / ".vscode" / "mcp.json", ConfigFormat::jsonc, {"servers"}, EntryShape::stdio}};
  }
  if (client.key == "windsurf") {
    if (!user) return {};
    return {mcp_servers(p.home / ".codeium" / "windsurf" / "mcp_config.json", ConfigFormat::jsonc)};
  }
  if (client.key == "zed")
    return {{(user ? zed_directory(p) : project / ".zed") / "settings.json",
             ConfigFormat::jsonc,
             {"context_servers"},
             EntryShape::command}};
  return {};
}

std::optional<HookFile> hook_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                  const fs::path& project) {
  const bool user = scope == ClientScope::user;
  if (client.key == "claude-code")
    return HookFile{(user ? claude_directory(p) : project / ".claude") / "settings.json",
                    "startup|resume|clear|compact", 5, ConfigFormat::json};
  if (client.key == "codex")
    return HookFile{(user ? codex_directory(p) : project / ".codex") / "hooks.json", "startup|resume|clear|compact", 5,
                    ConfigFormat::json};
  if (client.key == "gemini")
    return HookFile{(user ? p.home : project) / ".gemini" / "settings.json", "", 5000, ConfigFormat::json_comments};
  return std::nullopt;
}

std::optional<fs::path> skill_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& p,
                                   const fs::path& project) {
  const bool user = scope == ClientScope::user;
  const auto in = [](const fs::path& directory) { return directory / "skills" / "memd" / "SKILL.md"; };
  if (client.key == "claude-code") return in(user ? claude_directory(p) : project / ".claude");
  if (client.key == "cursor") return in((user ? p.home : project) / ".cursor");
  if (client.key == "codex") return in(user ? codex_directory(p) : project / ".codex");
  if (client.key == "gemini") return in((user ? p.home : project) / ".gemini");
  if (client.key == "opencode") return in(user ? p.config_home / "opencode" : project / ".opencode");
  return std::nullopt;
}

}  // namespace memd::setup
