#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"
#include "adapters/vscode/places.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Locations of Cursor's data, recognised by folder names; and the mapping of
// conversations to folders.
namespace memd::cursor {

enum class Place : std::uint8_t {
  global_state,     // <User>/globalStorage/state.vscdb
  workspace_state,  // <User>/workspaceStorage/<hash>/state.vscdb
  chat_store,       // ~/.cursor/chats/<hash>/<uuid>/store.db
  transcript,       // ~/.cursor/projects/<slug>/agent-transcripts/…/<uuid>.jsonl or .txt
};

struct SourcePlace {
  Place place{};
  std::string main;    // path of the source itself, also when the file is a companion of it
  std::string native;  // workspace: hash; chat: uuid; transcript: uuid of the session
  std::string parent;  // transcript of a subagent: uuid of the parent session
  std::string slug;    // transcript: folder name of the project
};

std::vector<std::filesystem::path> default_roots(const std::filesystem::path& home);

// Parses an absolute path with "/" or "\" as separator.
std::optional<SourcePlace> parse_place(std::string_view path);
bool is_on_the_way(const std::filesystem::path& root, const std::filesystem::path& directory);

// Returns the <User> folder above a state database.
std::string user_folder(std::string_view state_path);
// Returns the <User> folders of the home that contains a file below ~/.cursor. They need not exist.
std::vector<std::string> user_folders_beside(std::string_view dot_cursor_path);
// Returns "<home>/.cursor" of a file below it; empty when there is none.
std::string dot_cursor_folder(std::string_view path);

// Maps conversations to folders. workspaceStorage/<hash>/ has the folder in workspace.json and the ids of its
// conversations in state.vscdb. Caches its data and reads only changed files again. Thread-safe.
class WorkspaceFolders {
 public:
  // Checks the workspaces below a <User> folder, at the cost of a few system calls each.
  void refresh(const FileView& files, const std::string& user_folder);

  // Returns the folder of a conversation. Empty when no workspace lists it, or the workspace has no single folder
  // (several roots, an empty window).
  std::string of_conversation(const std::string& user_folder, const std::string& id) const;
  std::string of_workspace(const std::string& user_folder, const std::string& hash) const;

 private:
  struct Workspace {
    std::uint64_t seen = 0;  // hash of the files' sizes and times
    std::string folder;
    std::vector<std::string> conversations;
  };
  struct User {
    std::map<std::string, Workspace> workspaces;                 // by hash
    std::unordered_map<std::string, std::string> conversations;  // id → hash
  };
  mutable std::mutex mutex_;
  std::map<std::string, User> users_;
};

using vscode::folder_of_workspace;
using vscode::path_of_uri;

}  // namespace memd::cursor
