#include "adapters/cline/folder.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

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

bool is_id(std::string_view name) {
  const auto ok = [](char c) { return ascii::is_word(c) || c == '-' || c == '.' || c == ':'; };
  return !name.empty() && name.size() <= 128 && name.front() != '.' && name.front() != '_' &&
         std::all_of(name.begin(), name.end(), ok);
}

}  // namespace

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

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

std::vector<fs::path> extension_roots(const fs::path& home, std::string_view extension) {
  std::vector<fs::path> roots;
  for (const auto folder : kHostFolders)
    for (const auto host : kHosts)
      roots.push_back(home / folder / host / "User" / "globalStorage" / extension);
  for (const auto server : kServers)
    roots.push_back(home / server / "User" / "globalStorage" / extension);
  return roots;
}

bool is_foreign_directory(const fs::path& directory) {
  static constexpr std::array<std::string_view, 9> kForeign{"checkpoints", "cache",      "settings", "puppeteer", "db",
                                                            "logs",        "workspaces", "teams",    "connectors"};
  const std::string name = directory.filename().string();
  if (std::find(kForeign.begin(), kForeign.end(), name) != kForeign.end()) return true;
  const std::string above = directory.parent_path().parent_path().filename().string();
  return above == "tasks" || above == "sessions";  // inside a task folder only its files are read
}

const FileView::Entry* Folder::find(std::string_view name) const {
  for (const auto& entry : entries)
    if (std::filesystem::path(entry.path).filename() == name) return &entry;
  return nullptr;
}

Result<Folder> read_folder(const FileView& files, const std::string& path) {
  Folder folder;
  std::uint64_t state = hash64("cline/1");
  for (auto& entry : files.list(path)) {
    const std::string name = std::filesystem::path(entry.path).filename().string();
    if (entry.is_directory || is_temporary(name)) continue;
    state = hash_combine(state, hash64(name));
    state = hash_combine(state, hash_combine(entry.size, static_cast<std::uint64_t>(entry.mtime_ns)));
    folder.entries.push_back(std::move(entry));
  }
  if (folder.entries.empty()) return Error(Errc::not_found, "nothing in " + path);
  folder.state = hex(state);
  return folder;
}

Result<std::string> read_whole(const FileView& files, const FileView::Entry& entry) {
  MEMD_TRY_ASSIGN(std::string text, files.read(entry.path));
  const auto after = files.stat(entry.path);
  if (!after || after->size != entry.size || after->mtime_ns != entry.mtime_ns || text.size() != entry.size)
    return Error(Errc::busy, entry.path + " is being written");
  return text;
}

std::string companion_name(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames{"task_metadata.json",
                                                           "context_history.json",
                                                           "history_item.json",
                                                           "settings.json",
                                                           "ui_messages.json",
                                                           "claude_messages.json",
                                                           "api_conversation_history.json",
                                                           "README.md",
                                                           "hooks.jsonl",
                                                           ".messages.json",
                                                           ".compaction.json",
                                                           "focus_chain"};
  for (const auto known : kNames)
    if (name == known || name.ends_with(known) || name.starts_with(known)) return std::string(known);
  return name.ends_with(".json") ? "other.json" : "other file";
}

void append_stored_tail(std::span<const SourceItem> known, std::vector<SnapshotReader::Item>& items) {
  std::set<std::string_view> shown;
  for (const auto& item : items)
    shown.insert(item.key);
  std::size_t last = 0;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (shown.contains(known[i].key)) last = i + 1;
  items.reserve(items.size() + known.size() - last);  // reserved, because views of the keys must stay valid
  for (const SourceItem& k : known.subspan(last))
    if (!k.gone) items.push_back({k.key, 0, 0});
}

}  // namespace memd::cline
