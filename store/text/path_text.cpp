#include "store/text/path_text.hpp"

#include "schemas/ascii.hpp"

#include <charconv>
#include <filesystem>

namespace memd::assembly {
namespace {

constexpr std::size_t kPathInSummary = 90;  // so that the counts behind it are never cut off

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

LineCounts counts_of_edit(std::string_view summary) {
  return {number_behind(summary, '+'), number_behind(summary, '-')};
}

}  // namespace memd::assembly
