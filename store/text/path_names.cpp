#include "store/text/path_names.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace memd::continuity {
namespace {

bool is_path_char(char c) { return ascii::is_alnum(c) || std::string_view("/._-+@").find(c) != std::string_view::npos; }

// Returns whether it looks like a file extension: "go", "tsx", "mp4", but not the "Load" of a method.
bool is_extension(std::string_view word) {
  return !word.empty() && word.size() <= 5 && ascii::is_lower(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return ascii::is_lower(c) || ascii::is_digit(c); });
}

bool names_a_file(std::string_view path) {
  const auto slash = path.rfind('/');
  const auto dot = path.rfind('.');
  if (slash == std::string_view::npos || dot == std::string_view::npos || dot <= slash + 1) return false;
  if (path.find("//") != std::string_view::npos || path.find("...") != std::string_view::npos) return false;
  return is_extension(path.substr(dot + 1));
}

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<std::string_view> paths_in(std::string_view command, bool whole) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < command.size();) {
    if (!is_path_char(command[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < command.size() && is_path_char(command[end]))
      ++end;
    const bool pattern =
        (i > 0 && std::string_view("*?$~{}:").find(command[i - 1]) != std::string_view::npos) ||
        (end < command.size() && std::string_view("*?{[").find(command[end]) != std::string_view::npos);
    const bool cut = !whole && (end == command.size() || command.substr(end).starts_with("…"));
    std::string_view path = command.substr(i, end - i);
    i = end;
    while (path.starts_with("./"))
      path.remove_prefix(2);
    while (!path.empty() && path.back() == '.')
      path.remove_suffix(1);
    if (!pattern && !cut && names_a_file(path)) out.push_back(path);
  }
  return out;
}

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('~') || (path.size() > 1 && path[1] == ':');
}

void PathNames::add_to(ByName& to, std::string_view path) {
  const auto [begin, end] = to.equal_range(last_component(path));
  if (std::none_of(begin, end, [&](const auto& known) { return known.second == path; }))
    to.emplace(last_component(path), path);
}

void PathNames::add(std::string_view path) {
  add_to(files_, path);
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos && slash > 0) add_to(directories_, path.substr(0, slash));
}

const std::string* PathNames::only_with_end(const ByName& in, std::string_view end) const {
  const std::string* found = nullptr;
  const auto [first, last] = in.equal_range(last_component(end));
  for (auto it = first; it != last; ++it) {
    const std::string& known = it->second;
    if (known.size() <= end.size() || !known.ends_with(end) || known[known.size() - end.size() - 1] != '/') continue;
    if (known.size() == root_.size() + 1 + end.size() && known.starts_with(root_)) return &known;
    if (found != nullptr) return nullptr;
    found = &known;
  }
  return found;
}

std::string PathNames::absolute(std::string_view path) const {
  while (path.starts_with("./"))
    path.remove_prefix(2);
  if (is_absolute(path)) return std::string(path);
  if (const std::string* known = only_with_end(files_, path)) return *known;
  if (path.starts_with("a/") || path.starts_with("b/"))
    if (const std::string* known = only_with_end(files_, path.substr(2))) return *known;
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos)
    if (const std::string* known = only_with_end(directories_, path.substr(0, slash)))
      return *known + std::string(path.substr(slash));
  if (root_.empty()) return std::string(path);
  const std::string below_root = root_ + "/" + std::string(path);
  return path.starts_with("../") ? std::filesystem::path(below_root).lexically_normal().string() : below_root;
}

}  // namespace memd::continuity

namespace memd::assembly {
namespace {

constexpr std::size_t kPathInSummary = 90;  // so that the counts after it are never cut off

bool is_absolute(std::string_view path) {
  if (path.starts_with('/') || path.starts_with('\\') || path.starts_with('~')) return true;
  if (path.find("://") != std::string_view::npos) return true;
  return path.size() > 1 && path[1] == ':' && ascii::is_letter(path[0]);
}

std::int64_t number_behind(std::string_view text, char sign) {
  const auto at = text.rfind(std::string{' ', sign});
  std::int64_t value = 0;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + 2, text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string absolute_path(std::string_view path, std::string_view directory) {
  if (path.empty() || is_absolute(path) || !directory.starts_with('/')) return std::string(path);
  return (std::filesystem::path(directory) / std::filesystem::path(path)).lexically_normal().string();
}

std::string edit_summary(std::string_view path, std::int64_t added, std::int64_t removed) {
  std::string line;
  if (path.size() > kPathInSummary) {
    line = "…";
    path = path.substr(path.size() - kPathInSummary);
    while (!path.empty() && (static_cast<unsigned char>(path.front()) & 0xc0) == 0x80)
      path.remove_prefix(1);
  }
  return line.append(path) + " +" + std::to_string(added) + " -" + std::to_string(removed);
}

namespace {
constexpr std::string_view kDeleted = " (deleted)";
}

std::string deletion_summary(std::string_view path, std::int64_t removed) {
  std::string line = edit_summary(path, 0, removed);
  if (removed == 0) line.resize(line.size() - std::string_view(" +0 -0").size());
  return line.append(kDeleted);
}

bool is_deletion(std::string_view summary) { return summary.ends_with(kDeleted); }

LineCounts counts_of_edit(std::string_view summary) {
  return {number_behind(summary, '+'), number_behind(summary, '-')};
}

}  // namespace memd::assembly
