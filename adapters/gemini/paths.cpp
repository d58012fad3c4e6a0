#include "adapters/gemini/paths.hpp"

namespace memd::gemini {

std::optional<ChatPath> parse_chat_path(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  ChatPath path;
  path.is_log = extension == ".jsonl";
  path.stem = file.stem().string();
  if (!path.is_log && extension != ".json") return std::nullopt;
  std::filesystem::path folder = file.parent_path();
  if (folder.filename() != "chats") {
    if (!path.is_log || folder.parent_path().filename() != "chats") return std::nullopt;
    path.parent = folder.filename().string();
    folder = folder.parent_path();
  } else if (!path.stem.starts_with("session-")) {
    return std::nullopt;
  }
  path.project = folder.parent_path().filename().string();
  path.root = folder.parent_path().parent_path();
  if (path.stem.empty() || path.project.empty() || path.root.empty()) return std::nullopt;
  return path;
}

std::string project_root_file(const ChatPath& path) { return (path.root / path.project / ".project_root").string(); }

std::string projects_file(const ChatPath& path) { return (path.root.parent_path() / "projects.json").string(); }

std::string native_session_id(const ChatPath& path, std::string_view named) {
  if (!path.parent.empty()) return path.parent + "/" + path.stem;
  return named.empty() ? path.stem : std::string(named);
}

}  // namespace memd::gemini
