#pragma once

#include "adapters/snapshot_reader.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memd::gemini {

// The path of a chat file: <root>/<project>/chats/session-….json or ….jsonl; for subagents
// <root>/<project>/chats/<parent session>/<id>.jsonl. <root> is ~/.gemini/tmp.
struct ChatPath {
  std::filesystem::path root;
  std::string project;  // sha256 of the project's path, or a readable name
  std::string parent;   // session id; empty for a main session
  std::string stem;
  bool is_log = false;  // .jsonl
};
std::optional<ChatPath> parse_chat_path(const std::filesystem::path& file);

// For the prompt log <root>/<project>/logs.json: root and project only.
std::optional<ChatPath> parse_prompt_log_path(const std::filesystem::path& file);

// Files that may contain the project's working directory.
std::string project_root_file(const ChatPath& path);  // <root>/<project>/.project_root
std::string projects_file(const ChatPath& path);      // projects.json beside the root

// Returns the native id of the session in the file. `named`: the sessionId stated in the file; may be empty.
std::string native_session_id(const ChatPath& path, std::string_view named);

// Returns the working directory of a chat's project: from .project_root beside the chats, else from projects.json,
// searched by the project's readable name or by the hash of its path. Empty when neither contains it.
std::string find_project_root(const FileView& files, const ChatPath& chat);

}  // namespace memd::gemini
