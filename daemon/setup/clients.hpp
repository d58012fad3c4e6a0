#pragma once

#include "daemon/setup/jsonc_text.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The clients that memd registers with: the places of their configuration and the notation of a server entry. Plain
// values; any thread.
namespace memd::setup {

// The directories of a user in which clients look.
struct ClientPlaces {
  std::filesystem::path home;
  std::filesystem::path config_home;                          // $XDG_CONFIG_HOME, else ~/.config
  std::map<std::string, std::string, std::less<>> variables;  // those that name places of clients
  std::string search_path;                                    // $PATH
  bool mac = false;

  // Returns the places of `home`. Other variables than $PATH apply only if `home` is $HOME.
  static ClientPlaces of(const std::filesystem::path& home);
};

enum class ConfigFormat {
  json,
  json_comments,  // with comments
  jsonc,          // with comments and trailing commas
  toml,           // [mcp_servers.memd]
  toml_list,      // [[mcp_servers]] with a name
  yaml,           // Goose's extensions
};

// The notation of a server entry.
enum class EntryShape {
  command,      // {"command": "…", "args": […]}
  stdio,        // the same with "type": "stdio"
  local_tools,  // the same with "type": "local" and "tools": ["*"]
  local_array,  // {"type": "local", "command": ["…", …], "enabled": true}
};

// A configuration file in which a client lists its servers.
struct ConfigFile {
  std::filesystem::path path;
  ConfigFormat format = ConfigFormat::json;
  std::vector<std::string> servers;  // path of keys to the object of servers
  EntryShape shape = EntryShape::command;
};

// A hook that gives the client earlier context at the start of a session.
struct HookFile {
  std::filesystem::path path;
  std::string matcher;       // empty: the client's file has none
  std::int64_t timeout = 0;  // in the unit that the client uses
  ConfigFormat format = ConfigFormat::json;
};

enum class ClientScope { user, project };

// Where a client keeps its configuration. A place of the user is a path with ~, $config (~/.config), $applications
// (the same, but on a Mac Application Support), $vscode and $editors (user directories of that family of editors), or
// ${VARIABLE:-PATH}; "~/.x|y" is ~/.x/y of a client that has been used if ~/.x is there. Of files below one directory
// the client uses the first that is there; of several directories each. A place of a project is a path below its root;
// empty: there is none.
struct ClientInfo {
  std::string_view key;                    // as typed: "claude-code"
  std::string_view name;                   // display name
  std::vector<std::string_view> programs;  // names searched for in $PATH
  std::vector<std::string_view> files;     // those of the user that list servers
  std::vector<std::string_view> project_files;
  ConfigFormat format = ConfigFormat::json;
  std::string_view servers = "mcpServers";  // key of the object of servers
  EntryShape shape = EntryShape::command;
  std::string_view source;  // source of these facts
  struct Hook {
    std::string_view file;  // empty: memd installs none
    std::string_view project_file;
    std::string_view matcher = "startup|resume|clear|compact";
    std::int64_t timeout = 5;
  } hook = {};
  std::string_view skills = {};  // directory of the user's skills; empty: memd installs none
  std::string_view project_skills = {};
  std::string_view mark = {};  // another place that shows that the client has been used
};

std::span<const ClientInfo> clients();
const ClientInfo* find_client(std::string_view key);

// Returns whether the client has been used here or its program is in $PATH.
bool is_here(const ClientInfo& client, const ClientPlaces& places);

// Returns the files that list the client's servers: the existing ones, else the one that the client would create.
// Empty: the client has no project configuration. `project`: the project's root, for ClientScope::project.
std::vector<ConfigFile> config_files(const ClientInfo& client, ClientScope scope, const ClientPlaces& places,
                                     const std::filesystem::path& project);
std::optional<HookFile> hook_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& places,
                                  const std::filesystem::path& project);
// Returns the path of SKILL.md for a skill named memd.
std::optional<std::filesystem::path> skill_file(const ClientInfo& client, ClientScope scope, const ClientPlaces& places,
                                                const std::filesystem::path& project);

// Returns the path of a program in $PATH; empty: not found.
std::filesystem::path find_program(std::string_view name, std::string_view search_path);
// Returns the link in $PATH that leads to this executable, if there is one: package managers that keep each version in
// a directory of its own (Homebrew, Nix) lead it to the next one. Else returns the executable.
std::filesystem::path lasting_path(const std::filesystem::path& executable, std::string_view search_path);

}  // namespace memd::setup
