#include "adapters/tool_calls/patch_text.hpp"

#include "adapters/tool_calls/text_lines.hpp"

#include <algorithm>
#include <string>

namespace memd::tool_calls {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";

std::size_t file_at(std::vector<FileTouch>& files, std::string_view path) {
  while (path.ends_with(' '))
    path.remove_suffix(1);
  const auto it = std::find_if(files.begin(), files.end(), [&](const FileTouch& f) { return f.path == path; });
  if (it != files.end()) return static_cast<std::size_t>(it - files.begin());
  files.push_back({std::string(path), FileAccess::modified, 0, 0});
  return files.size() - 1;
}

// Reads one patch from behind its first line; leaves in `rest` what follows it.
void read_patch(std::string_view& rest, std::vector<FileTouch>& files) {
  constexpr std::string_view kAdd = "*** Add File: ";
  constexpr std::string_view kUpdate = "*** Update File: ";
  constexpr std::string_view kDelete = "*** Delete File: ";
  constexpr std::string_view kMove = "*** Move to: ";
  std::size_t file = files.size();
  while (!rest.empty()) {
    const auto line = next_line(rest);
    if (line.starts_with(kEnd)) return;
    for (const auto mark : {kAdd, kUpdate, kDelete, kMove})
      if (line.starts_with(mark) && line.size() > mark.size()) file = file_at(files, line.substr(mark.size()));
    if (file >= files.size()) continue;
    if (line.starts_with('+')) ++files[file].lines_added;
    if (line.starts_with('-')) ++files[file].lines_removed;
  }
}

}  // namespace

bool holds_patch(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

std::vector<FileTouch> patched_files(std::string_view text) {
  std::vector<FileTouch> files;
  for (auto at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin)) {
    text.remove_prefix(at);
    next_line(text);
    read_patch(text, files);
  }
  return files;
}

std::string without_patches(std::string_view text) {
  std::string out;
  for (auto at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin)) {
    out.append(text.substr(0, at));
    text.remove_prefix(at);
    const auto end = text.find(kEnd);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + kEnd.size());
  }
  return out.append(text);
}

void count_diff_lines(std::string_view diff, FileTouch& file) {
  bool in_hunk = diff.find("@@") == std::string_view::npos;
  while (!diff.empty()) {
    const auto line = next_line(diff);
    in_hunk = in_hunk || line.starts_with("@@");
    if (!in_hunk) continue;
    if (line.starts_with('+')) ++file.lines_added;
    if (line.starts_with('-')) ++file.lines_removed;
  }
}

}  // namespace memd::tool_calls
