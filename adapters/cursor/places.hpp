#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where Cursor keeps what, told by the names of the folders on the way; and the file URIs in which it names folders.
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

}  // namespace memd::cursor
