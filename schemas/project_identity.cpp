#include "schemas/project_identity.hpp"

#include <array>
#include <cctype>

namespace memd {
namespace {

std::string canonical_spelling(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  const bool windows = path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char c = path[i];
    if (c == '\\' && (windows || path.starts_with("\\\\"))) c = '/';
    if (windows && i == 0) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == '/' && !out.empty() && out.back() == '/' && out.size() > 1) continue;
    out += c;
  }
  while (out.size() > 1 && out.back() == '/')
    out.pop_back();
  return out;
}

}  // namespace

ProjectIdentity project_identity(std::string_view cwd) {
  std::string key = canonical_spelling(cwd);
  static constexpr std::array<std::string_view, 3> kWorktreeDirs{"/.worktrees/", "/.claude/worktrees/",
                                                                 "/.cursor/worktrees/"};
  for (const auto dir : kWorktreeDirs) {
    const auto at = key.find(dir);
    if (at != std::string::npos && at > 0) key.resize(at);
  }
  const auto slash = key.find_last_of('/');
  std::string name = slash == std::string::npos || slash + 1 == key.size() ? key : key.substr(slash + 1);
  return {std::move(key), std::move(name)};
}

}  // namespace memd
