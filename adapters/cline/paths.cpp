#include "adapters/cline/paths.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>

namespace memd::cline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kHosts{"Code",     "Code - Insiders", "Code - OSS", "VSCodium",    "Cursor",
                                                  "Windsurf", "Windsurf - Next", "Trae",       "Antigravity", "Kiro"};
constexpr std::array<std::string_view, 3> kHostFolders{".config", "Library/Application Support", "AppData/Roaming"};
constexpr std::array<std::string_view, 10> kServers{
    ".vscode-server/data",      ".vscode-server-insiders/data", ".vscode-remote/data", ".vscodium-server/data",
    ".cursor-server/data",      ".windsurf-server/data",        ".trae-server/data",   ".antigravity-server/data",
    ".local/share/code-server", ".openvscode-server/data",
};
constexpr std::array<std::string_view, 3> kExtensions{"saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline",
                                                      "kilocode.kilo-code"};

bool is_id(std::string_view name) {
  const auto ok = [](char c) { return ascii::is_word(c) || c == '-' || c == '.' || c == ':'; };
  return !name.empty() && name.size() <= 128 && name.front() != '.' && name.front() != '_' &&
         std::all_of(name.begin(), name.end(), ok);
}

}  // namespace

bool is_temporary(std::string_view name) {
  return name.find(".tmp") != std::string_view::npos || name.starts_with("tmp_") || name.ends_with(".lock") ||
         name.ends_with('~');
}

std::optional<SourcePath> parse_source_path(const fs::path& file) {
  const auto folder = file.parent_path();
  const std::string parent = folder.parent_path().filename().string();
  SourcePath path;
  path.folder = folder;
  path.id = folder.filename().string();
  if (!is_id(path.id) || is_temporary(file.filename().string())) return std::nullopt;
  if (parent == "tasks") {
    path.generation = Generation::task;
    path.main = (folder / kUiMessages).string();
    return path;
  }
  if (parent == "sessions") {
    path.generation = Generation::session;
    path.main = (folder / (path.id + std::string(kMessagesSuffix))).string();
    return path;
  }
  return std::nullopt;
}

std::vector<fs::path> default_roots(const fs::path& home) {
  std::vector<fs::path> roots;
  const auto add = [&](const fs::path& user) {
    for (const auto extension : kExtensions)
      roots.push_back(user / "User" / "globalStorage" / extension);
  };
  for (const auto folder : kHostFolders)
    for (const auto host : kHosts)
      add(home / folder / host);
  for (const auto server : kServers)
    add(home / server);
  roots.push_back(home / ".cline" / "data");
  return roots;
}

bool is_foreign_directory(const fs::path& directory) {
  static constexpr std::array<std::string_view, 9> kForeign{"checkpoints", "cache",      "settings", "puppeteer", "db",
                                                            "logs",        "workspaces", "teams",    "connectors"};
  const std::string name = directory.filename().string();
  if (std::find(kForeign.begin(), kForeign.end(), name) != kForeign.end()) return true;
  const std::string above = directory.parent_path().parent_path().filename().string();
  return above == "tasks" || above == "sessions";  // inside a task: nothing but its files is looked at
}

}  // namespace memd::cline
