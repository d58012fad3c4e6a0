#pragma once

#include "adapters/snapshot_reader.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memd::gemini {

// <root>/<project>/chats/session-….json, ….jsonl, and of subagents <root>/<project>/chats/<parent session>/<id>.jsonl,
// where <root> is ~/.gemini/tmp.
struct ChatPath {
  std::filesystem::path root;
  std::string project;  // sha256 of the project's path, or a readable name
  std::string parent;   // session id; empty for a main session
  std::string stem;
  bool is_log = false;  // .jsonl
};
std::optional<ChatPath> parse_chat_path(const std::filesystem::path& file);

// Where the project's working directory may be told.
std::string project_root_file(const ChatPath& path);  // <root>/<project>/.project_root
std::string projects_file(const ChatPath& path);      // projects.json beside the root

// The native id of the session in the file, given the sessionId it names (may be empty).
std::string native_session_id(const ChatPath& path, std::string_view named);

// The working directory of the project a chat belongs to: from .project_root beside the chats, else from projects.json,
// where it is found by its readable name or by the hash of its path. Empty when neither tells.
std::string find_project_root(const FileView& files, const ChatPath& chat);

}  // namespace memd::gemini
