#include "bench/continuity/file_names.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::bench {
namespace {

bool ends_with_components(std::string_view path, std::string_view end) {
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

bool goes_on(char c) { return ascii::is_word(c) || c == '-'; }

// The first place behind `from` where `part` stands by itself; npos: none. What is before it may be a directory.
std::size_t find_path(std::string_view text, std::string_view part, std::size_t from) {
  for (auto at = text.find(part, from); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool before = at == 0 || !(goes_on(text[at - 1]) || text[at - 1] == '.');
    // "main.go." ends a sentence, "main.go.orig" is another file
    const bool behind = end >= text.size() ||
                        !(goes_on(text[end]) || (text[end] == '.' && end + 1 < text.size() && goes_on(text[end + 1])));
    if (before && behind) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string FileNames::canonical(std::string_view path) const {
  if (paths_.contains(std::string(path))) return std::string(path);
  const bool absolute = path.starts_with('/');
  const std::string* only = nullptr;
  for (const std::string& known : paths_) {
    const bool same =
        absolute ? !known.starts_with('/') && ends_with_components(path, known) : ends_with_components(known, path);
    if (!same) continue;
    if (only != nullptr) return std::string(path);
    only = &known;
  }
  return only != nullptr ? *only : std::string(path);
}

std::string FileNames::telling_end(std::string_view path) const {
  for (auto slash = path.rfind('/'); slash != std::string_view::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
    const std::string_view end = path.substr(slash + 1);
    const bool shared = std::any_of(paths_.begin(), paths_.end(), [&](const std::string& known) {
      return known != path && ends_with_components(known, end);
    });
    if (!shared) return std::string(end);
  }
  return std::string(path);
}

bool FileNames::named_in(std::string_view text, std::string_view path) const {
  const std::string end = telling_end(path);
  if (find_path(text, end, 0) != std::string_view::npos) return true;
  const auto slash = end.rfind('/');
  if (slash == std::string::npos || slash == 0) return false;
  const std::string directory = end.substr(0, slash);
  const std::string name = end.substr(slash + 1);
  for (auto at = find_path(text, directory, 0); at != std::string_view::npos; at = find_path(text, directory, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (find_path(line, name, directory.size()) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace memd::bench
