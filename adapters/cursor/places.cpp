#include "adapters/cursor/places.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>

namespace memd::cursor {
namespace {

enum class Folder : std::uint8_t {
  outside,
  user,
  global,
  workspaces,
  workspace,
  chats,
  chat_project,
  chat,
  projects,
  project,
  transcripts,  // and all folders below it
  beside,       // no Cursor data from here on
};

// Returns the state after entering folder `name`.
Folder enter(Folder folder, std::string_view name) {
  switch (folder) {
    case Folder::outside:
    case Folder::user:
      if (name == "User") return Folder::user;
      if (name == "globalStorage") return Folder::global;
      if (name == "workspaceStorage") return Folder::workspaces;
      if (folder == Folder::user) return Folder::beside;
      if (name == "chats") return Folder::chats;
      if (name == "projects") return Folder::projects;
      if (name == "agent-transcripts") return Folder::transcripts;
      return Folder::outside;
    case Folder::workspaces: return Folder::workspace;
    case Folder::chats: return Folder::chat_project;
    case Folder::chat_project: return Folder::chat;
    case Folder::projects: return Folder::project;
    case Folder::project: return name == "agent-transcripts" ? Folder::transcripts : Folder::beside;
    case Folder::transcripts: return Folder::transcripts;
    default: return Folder::beside;
  }
}

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const auto end = std::min(path.find_first_of("/\\"), path.size());
    if (end > 0) names.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

// Classifies the folder after `count` names. Folders above a home may have any name, so parsing starts at the last
// "User" or ".cursor".
Folder folder_of(const std::vector<std::string_view>& names, std::size_t count) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == "User" || names[i] == ".cursor") begin = i;
  Folder folder = Folder::outside;
  for (std::size_t i = begin; i < count; ++i)
    folder = enter(folder, names[i]);
  return folder;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix) || text.size() == suffix.size()) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::optional<std::string> database_path(std::string_view path, std::string_view file) {
  if (!take_suffix(path, "-wal")) take_suffix(path, "-shm");
  const auto name = path.substr(std::min(path.find_last_of("/\\") + 1, path.size()));
  return name == file ? std::optional(std::string(path)) : std::nullopt;
}

constexpr std::string_view kPane = "workbench.panel.composerChatViewPane.";

std::uint64_t state_of(const FileView& files, const std::string& workspace) {
  std::uint64_t state = 1;
  for (const char* name : {"/state.vscdb", "/state.vscdb-wal", "/workspace.json"}) {
    const auto entry = files.stat(workspace + name);
    state = hash_combine(state, entry ? entry->size : ~0ULL);
    state = hash_combine(state, entry ? static_cast<std::uint64_t>(entry->mtime_ns) : 0);
  }
  return state;
}

// Collects conversation ids. Keys of panes are "workbench.panel.composerChatViewPane.<id>…", and their values contain
// conversation ids, too.
void take_ids(std::string_view text, std::vector<std::string>& ids) {
  constexpr std::size_t length = 36;
  const auto is_part = [](char c) { return (ascii::is_hex(c) && !ascii::is_upper(c)) || c == '-'; };
  for (std::size_t i = 0; i + length <= text.size(); ++i) {
    const auto id = text.substr(i, length);
    if (id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' || !std::all_of(id.begin(), id.end(), is_part))
      continue;
    ids.emplace_back(id);
    i += length - 1;
  }
}

// Steps a query; an error counts as the end. Unreadable data is read again when the file changes next.
bool next(sqlite::Query& query) {
  const auto row = query.step();
  return row && *row;
}

std::vector<std::string> conversations_of(const FileView& files, const std::string& path) {
  std::vector<std::string> ids;
  const auto database = sqlite::ReadOnlyDatabase::open(files, path);
  if (!database) return ids;
  auto list = (*database)->prepare("SELECT value FROM ItemTable WHERE key = 'composer.composerData'");
  if (list && next(*list))
    for (auto& element : elements_of(list->text(0), "allComposers", "composerId"))
      ids.push_back(std::move(element.id));
  auto panes = (*database)->prepare("SELECT key, value FROM ItemTable WHERE key >= ?1 AND key < ?2");
  if (!panes) return ids;
  const std::string begin(kPane);
  const std::string end = begin.substr(0, begin.size() - 1) + "/";
  panes->bind(1, begin).bind(2, end);
  while (next(*panes)) {
    take_ids(panes->text(0), ids);
    take_ids(panes->text(1), ids);
  }
  return ids;
}

}  // namespace

std::vector<std::filesystem::path> default_roots(const std::filesystem::path& home) {
  return {home / ".config" / "Cursor" / "User", home / "Library" / "Application Support" / "Cursor" / "User",
          home / "AppData" / "Roaming" / "Cursor" / "User", home / ".cursor" / "chats", home / ".cursor" / "projects"};
}

std::optional<SourcePlace> parse_place(std::string_view path) {
  const auto names = names_of(path);
  if (names.size() < 2) return std::nullopt;
  const std::size_t folders = names.size() - 1;
  SourcePlace place;
  std::optional<std::string> main;
  switch (folder_of(names, folders)) {
    case Folder::global:
      place.place = Place::global_state;
      main = database_path(path, "state.vscdb");
      break;
    case Folder::workspace:
      place.place = Place::workspace_state;
      place.native = names[folders - 1];
      main = database_path(path, "state.vscdb");
      break;
    case Folder::chat:
      place.place = Place::chat_store;
      place.native = names[folders - 1];
      main = database_path(path, "store.db");
      break;
    case Folder::transcripts: {
      std::string_view stem = names.back();
      if (!take_suffix(stem, ".jsonl") && !take_suffix(stem, ".txt")) return std::nullopt;
      place.place = Place::transcript;
      place.native = stem;
      if (folders >= 2 && names[folders - 1] == "subagents") place.parent = names[folders - 2];
      const auto at = std::find(names.begin(), names.end(), "agent-transcripts");
      if (at != names.begin() && at != names.end()) place.slug = *(at - 1);
      main = path;
      break;
    }
    default: return std::nullopt;
  }
  if (!main) return std::nullopt;
  place.main = std::move(*main);
  return place;
}

bool is_on_the_way(const std::filesystem::path& root, const std::filesystem::path& directory) {
  const std::string base = root.generic_string();
  const std::string path = directory.generic_string();
  if (path == base) return true;
  const auto above = names_of(base);
  const auto names = names_of(path);
  Folder folder = folder_of(above, above.size());
  for (std::size_t i = above.size(); i < names.size() && folder != Folder::beside; ++i) {
    const bool known = names[i] == "Cursor" || names[i] == ".cursor" || names[i] == "User";
    const Folder next = enter(folder, names[i]);
    folder = next == Folder::outside && !known ? Folder::beside : next;
    if (folder == Folder::global && i + 1 < names.size()) return false;  // data of extensions
  }
  return folder != Folder::beside;
}

std::string user_folder(std::string_view state_path) {
  const auto at = std::max(state_path.rfind("/globalStorage/") + 1, state_path.rfind("/workspaceStorage/") + 1);
  return std::string(state_path.substr(0, at == 0 ? 0 : at - 1));
}

std::string dot_cursor_folder(std::string_view path) {
  constexpr std::string_view name = "/.cursor/";
  const auto at = path.rfind(name);
  return at == std::string_view::npos ? std::string() : std::string(path.substr(0, at + name.size() - 1));
}

std::vector<std::string> user_folders_beside(std::string_view dot_cursor_path) {
  std::vector<std::string> folders;
  const auto dot_cursor = dot_cursor_folder(dot_cursor_path);
  if (dot_cursor.empty()) return folders;
  const auto roots = default_roots(std::filesystem::path(dot_cursor).parent_path());
  for (std::size_t i = 0; i < 3; ++i)
    folders.push_back(roots[i].string());
  return folders;
}

void WorkspaceFolders::refresh(const FileView& files, const std::string& user_folder) {
  const std::lock_guard lock(mutex_);
  User& user = users_[user_folder];
  const std::string base = user_folder + "/workspaceStorage";
  std::map<std::string, Workspace> now;
  bool changed = false;
  for (const auto& entry : files.list(base)) {
    if (!entry.is_directory) continue;
    const std::string hash = entry.path.substr(entry.path.find_last_of("/\\") + 1);
    const auto seen = state_of(files, entry.path);
    if (const auto it = user.workspaces.find(hash); it != user.workspaces.end() && it->second.seen == seen) {
      now.emplace(hash, std::move(it->second));
      continue;
    }
    changed = true;
    now.emplace(hash, Workspace{seen, folder_of_workspace(files, entry.path),
                                conversations_of(files, entry.path + "/state.vscdb")});
  }
  changed |= now.size() != user.workspaces.size();
  user.workspaces = std::move(now);
  if (!changed) return;
  user.conversations.clear();
  for (const auto& [hash, workspace] : user.workspaces)
    for (const auto& id : workspace.conversations)
      user.conversations.emplace(id, hash);
}

std::string WorkspaceFolders::of_workspace(const std::string& user_folder, const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  const auto user = users_.find(user_folder);
  if (user == users_.end()) return {};
  const auto it = user->second.workspaces.find(hash);
  return it == user->second.workspaces.end() ? std::string() : it->second.folder;
}

std::string WorkspaceFolders::of_conversation(const std::string& user_folder, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto user = users_.find(user_folder);
  if (user == users_.end()) return {};
  const auto it = user->second.conversations.find(id);
  return it == user->second.conversations.end() ? std::string() : user->second.workspaces.at(it->second).folder;
}

}  // namespace memd::cursor
