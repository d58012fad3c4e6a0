#include "adapters/tool_calls/patch_text.hpp"

#include <algorithm>
#include <charconv>
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

// Reads one patch from after its first line; leaves the text after the patch in `rest`.
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
      if (line.starts_with(mark) && line.size() > mark.size()) {
        file = file_at(files, line.substr(mark.size()));
        files[file].deletes = mark == kDelete;
      }
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
    ascii::take_until(text, kEnd);
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

std::int32_t count_lines(std::string_view text) {
  const auto newlines = std::count(text.begin(), text.end(), '\n');
  return static_cast<std::int32_t>(newlines + (text.empty() || text.ends_with('\n') ? 0 : 1));
}

// Hunks and edits.

namespace {

void append_lines(std::string& out, char sign, std::string_view text) {
  while (!text.empty()) {
    out += sign;
    out.append(next_line(text));
    out += '\n';
  }
}

bool take_number(std::string_view& s, std::int64_t& value) {
  const auto [p, ec] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (ec != std::errc{} || value < 0 || value > kMostLines) return false;
  s.remove_prefix(static_cast<std::size_t>(p - s.data()));
  return true;
}

// Parses "12,3" or "12", which means one line.
bool take_range(std::string_view& s, char sign, std::int64_t& start, std::int64_t& lines) {
  if (!s.starts_with(sign)) return false;
  s.remove_prefix(1);
  lines = 1;
  if (!take_number(s, start)) return false;
  if (!s.starts_with(',')) return true;
  s.remove_prefix(1);
  return take_number(s, lines);
}

bool read_header(std::string_view line, EditHunk& hunk) {
  if (!line.starts_with("@@ ")) return false;
  line.remove_prefix(3);
  if (!take_range(line, '-', hunk.old_start, hunk.old_lines) || !line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return take_range(line, '+', hunk.new_start, hunk.new_lines);
}

bool is_diff_line(std::string_view line) {
  return line.starts_with('+') || line.starts_with('-') || line.starts_with(' ');
}

}  // namespace

std::vector<EditHunk> unified_hunks(std::string_view diff) {
  std::vector<EditHunk> out;
  std::int64_t old_left = 0;
  std::int64_t new_left = 0;
  while (!diff.empty()) {
    const auto line = next_line(diff);
    if (old_left <= 0 && new_left <= 0) {
      EditHunk hunk;
      if (!read_header(line, hunk)) continue;
      old_left = hunk.old_lines;
      new_left = hunk.new_lines;
      out.push_back(std::move(hunk));
      continue;
    }
    if (line.starts_with('\\')) continue;  // "\ No newline at end of file"
    const char sign = line.empty() ? ' ' : line.front();
    if (sign != '+') --old_left;
    if (sign != '-') --new_left;
    out.back().text.append(line.empty() ? " " : line).append("\n");
  }
  return out;
}

std::vector<RecordedEdit> patch_edits(std::string_view text) {
  constexpr std::string_view kAdd = "*** Add File: ";
  constexpr std::string_view kUpdate = "*** Update File: ";
  constexpr std::string_view kMove = "*** Move to: ";
  std::vector<RecordedEdit> out;
  for (auto at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin)) {
    text.remove_prefix(at);
    next_line(text);
    bool in_file = false;
    while (!text.empty()) {
      const auto line = next_line(text);
      if (line.starts_with("*** End Patch")) break;
      if (line.starts_with(kAdd) || line.starts_with(kUpdate)) {
        const bool add = line.starts_with(kAdd);
        out.push_back({std::string(line.substr(add ? kAdd.size() : kUpdate.size())), add, {}});
        in_file = true;
      } else if (line.starts_with(kMove)) {
        if (in_file) out.back().path = line.substr(kMove.size());
      } else if (line.starts_with("*** ")) {
        in_file = in_file && line.starts_with("*** End of File");
      } else if (in_file && line.starts_with("@@")) {
        out.back().hunks.emplace_back();
      } else if (in_file && is_diff_line(line)) {
        auto& hunks = out.back().hunks;
        if (hunks.empty()) hunks.emplace_back();
        hunks.back().text.append(line).append("\n");
      }
    }
  }
  return out;
}

std::vector<EditHunk> search_replace_hunks(std::string_view text) {
  std::vector<EditHunk> out;
  enum class In { nothing, search, replace } in = In::nothing;
  while (!text.empty()) {
    const auto line = next_line(text);
    const bool search = line.ends_with(" SEARCH") && (line.starts_with("-------") || line.starts_with("<<<<<<<"));
    const bool end = line.ends_with(" REPLACE") && (line.starts_with("+++++++") || line.starts_with(">>>>>>>"));
    if (search) {
      out.emplace_back();
      in = In::search;
    } else if (in == In::search && line.starts_with("=======")) {
      in = In::replace;
    } else if (end) {
      in = In::nothing;
    } else if (in != In::nothing) {
      out.back().text.append(1, in == In::search ? '-' : '+').append(line).append("\n");
    }
  }
  return out;
}

EditHunk replacement(std::string_view before, std::string_view after) {
  EditHunk hunk;
  append_lines(hunk.text, '-', before);
  append_lines(hunk.text, '+', after);
  return hunk;
}

}  // namespace memd::tool_calls
