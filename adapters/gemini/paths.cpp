#include "adapters/gemini/paths.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/base/hash.hpp"

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

std::optional<ChatPath> parse_prompt_log_path(const std::filesystem::path& file) {
  if (file.filename() != "logs.json") return std::nullopt;
  ChatPath path;
  path.project = file.parent_path().filename().string();
  path.root = file.parent_path().parent_path();
  if (path.project.empty() || path.root.empty()) return std::nullopt;
  return path;
}

std::string project_root_file(const ChatPath& path) { return (path.root / path.project / ".project_root").string(); }

std::string projects_file(const ChatPath& path) { return (path.root.parent_path() / "projects.json").string(); }

std::string native_session_id(const ChatPath& path, std::string_view named) {
  if (!path.parent.empty()) return path.parent + "/" + path.stem;
  return named.empty() ? path.stem : std::string(named);
}

namespace {

constexpr std::uint64_t kRootLimit = 16 * 1024;
constexpr std::uint64_t kProjectsLimit = 4 * 1024 * 1024;

// {"projects": {"/home/ada/app": "app", …}}
std::string find_in_projects(std::string_view text, std::string_view project) {
  std::string found;
  const auto nothing = [](std::string_view, std::string_view) {};
  json::ValueScanner scanner(text);
  const auto open = [&](std::string_view key) {
    if (key != "projects" || scanner.peek() != '{') return false;
    scanner.members([&](std::string_view raw_path, std::string_view name) {
      std::string path;
      json::append_unescaped(raw_path, path);
      if (found.empty() && (json::string_body(name) == project || sha256_hex(path) == project)) found = path;
    });
    return true;
  };
  scanner.members(open, nothing);
  return found;
}

}  // namespace

std::string find_project_root(const FileView& files, const ChatPath& chat) {
  if (const auto text = files.read(project_root_file(chat), 0, kRootLimit)) {
    const std::string_view root = json::trimmed(*text);
    if (root.starts_with('/') || (root.size() > 2 && root[1] == ':')) return std::string(root);
  }
  const auto projects = files.read(projects_file(chat), 0, kProjectsLimit);
  return projects ? find_in_projects(*projects, chat.project) : std::string();
}

}  // namespace memd::gemini
