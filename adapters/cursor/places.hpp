#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Where Cursor keeps what, told by the names of the folders on the way; the file URIs in which it names folders; and
// which folder a conversation belongs to.
namespace memd::cursor {

enum class Place : std::uint8_t {
  global_state,     // <User>/globalStorage/state.vscdb
  workspace_state,  // <User>/workspaceStorage/<hash>/state.vscdb
  chat_store,       // ~/.cursor/chats/<hash>/<uuid>/store.db
  transcript,       // ~/.cursor/projects/<slug>/agent-transcripts/…/<uuid>.jsonl or .txt
};

struct SourcePlace {
  Place place{};
  std::string main;    // path of the source itself when the file is a companion of it
  std::string native;  // workspace: hash; chat: uuid; transcript: uuid of the session
  std::string parent;  // transcript of a subagent: uuid of the session it works for
  std::string slug;    // transcript: folder of the project
};

std::vector<std::filesystem::path> default_roots(const std::filesystem::path& home);

// Absolute paths, "/" or "\" between the names.
std::optional<SourcePlace> parse_place(std::string_view path);
bool is_on_the_way(const std::filesystem::path& root, const std::filesystem::path& directory);

// The <User> folder above one of the state databases.
std::string user_folder(std::string_view state_path);
// <User> folders that belong to the same home as a file below ~/.cursor; they need not exist.
std::vector<std::string> user_folders_beside(std::string_view dot_cursor_path);
// "<home>/.cursor" of a file below it; empty when there is none.
std::string dot_cursor_folder(std::string_view path);

// "file:///c%3A/Users/x" → "c:/Users/x", "file:///home/x%20y" → "/home/x y", "file://host/share" → "//host/share",
// "vscode-remote://ssh-remote%2Bbox/home/x" → "/home/x". Empty for other schemes. A plain path stays as it is.
std::string path_of_uri(std::string_view uri);

// Tells which folder a conversation belongs to: workspaceStorage/<hash>/ has the folder in workspace.json and the ids
// of its conversations in state.vscdb. Keeps what it read; reads again only files that changed. Thread-safe.
class WorkspaceFolders {
 public:
  // Looks at the workspaces below a <User> folder: a few system calls each.
  void refresh(const FileView& files, const std::string& user_folder);

  // Empty when no workspace says so, or it has no folder of its own (several roots, an empty window).
  std::string of_conversation(const std::string& user_folder, const std::string& id) const;
  std::string of_workspace(const std::string& user_folder, const std::string& hash) const;

 private:
  struct Workspace {
    std::uint64_t seen = 0;  // of the files' sizes and times
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

// The folder in a workspace.json; empty when it names several, or none.
std::string folder_of_workspace(const FileView& files, const std::string& workspace);

}  // namespace memd::cursor
