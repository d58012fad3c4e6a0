#include "adapters/cursor/workspace_folders.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"

#include <algorithm>

namespace memd::cursor {
namespace {

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

// Keys of what a pane shows are "workbench.panel.composerChatViewPane.<id>…", its value names conversations again.
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

// What cannot be read now will be when the file changes next.
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

std::string folder_of_workspace(const FileView& files, const std::string& workspace) {
  using namespace json;  // NOLINT(google-build-using-namespace)
  auto text = files.read(workspace + "/workspace.json");
  if (!text) return {};
  const std::size_t size = text->size();
  text->resize(size + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::object root;
  if (parser.iterate(text->data(), size, text->size()).get(document) || document.get_object().get(root)) return {};
  Tokens<1> tokens;
  if (!collect(root, KeyTable<1>{{"folder"}}, tokens)) return {};
  std::string uri;
  append_unescaped(string_body(tokens[0]), uri);
  return path_of_uri(uri);
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
