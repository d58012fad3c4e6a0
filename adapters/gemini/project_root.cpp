#include "adapters/gemini/project_root.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/sha256.hpp"

namespace memd::gemini {
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
    scanner.members([](std::string_view) { return false; },
                    [&](std::string_view raw_path, std::string_view name) {
                      std::string path;
                      json::append_unescaped(raw_path, path);
                      if (found.empty() && (json::string_body(name) == project || sha256_hex(path) == project))
                        found = path;
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
