#include "adapters/described/file_pattern.hpp"

#include <cstddef>

namespace memd::described {
namespace {

constexpr std::string_view kSession = "{session}";
constexpr std::string_view kParent = "{parent}";
constexpr std::string_view kFolders = "**/";

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

// Matches the rest of the path; the longest text for each wildcard is tried first.
bool match(std::string_view pattern, std::string_view path, FileMatch& found) {
  while (!pattern.empty()) {
    if (pattern.starts_with(kFolders)) {
      pattern.remove_prefix(kFolders.size());
      for (std::string_view rest = path;;) {
        if (match(pattern, rest, found)) return true;
        const auto slash = rest.find('/');
        if (slash == std::string_view::npos) return false;
        rest.remove_prefix(slash + 1);
      }
    }
    const std::string_view name = pattern.starts_with(kSession)  ? kSession
                                  : pattern.starts_with(kParent) ? kParent
                                                                 : std::string_view();
    if (pattern.front() == '*' || !name.empty()) {
      const auto after = pattern.substr(name.empty() ? 1 : name.size());
      for (std::size_t length = first_part(path).size() + 1; length-- > (name.empty() ? 0U : 1U);)
        if (match(after, path.substr(length), found)) {
          if (name == kSession) found.session = path.substr(0, length);
          if (name == kParent) found.parent = path.substr(0, length);
          return true;
        }
      return false;
    }
    if (path.empty() || path.front() != pattern.front()) return false;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
  }
  return path.empty();
}

}  // namespace

std::optional<FileMatch> match_file(std::string_view pattern, std::string_view path) {
  FileMatch found;
  return match(pattern, path, found) ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<FileMatch> match_file_end(std::string_view pattern, std::string_view path) {
  for (auto at = path.rfind('/');; at = path.rfind('/', at - 1)) {
    const auto end = at == std::string_view::npos ? path : path.substr(at + 1);
    if (auto found = match_file(pattern, end)) return found;
    if (at == std::string_view::npos || at == 0) return std::nullopt;
  }
}

bool may_hold(std::string_view pattern, std::string_view folder) {
  while (!folder.empty()) {
    if (pattern.starts_with(kFolders)) return true;
    const auto slash = pattern.find('/');
    if (slash == std::string_view::npos) return false;
    const auto part = first_part(folder);
    if (!match_file(pattern.substr(0, slash), part)) return false;
    pattern.remove_prefix(slash + 1);
    folder.remove_prefix(part.size() < folder.size() ? part.size() + 1 : folder.size());
  }
  return true;
}

}  // namespace memd::described
