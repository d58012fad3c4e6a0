// Files an agent works with: modified before read, lately and often before once and long ago.
#include "store/continuity/evidence.hpp"
#include "store/continuity/shell_line.hpp"
#include "store/continuity/weights.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace memd::continuity {
namespace {

constexpr std::size_t kFiles = 120;
constexpr std::size_t kPurposeBytes = 70;

bool is_path_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("/._-+@").find(c) != std::string_view::npos;
}

// Words of a command that look like the path of a file: a slash and an extension, no pattern.
std::vector<std::string_view> paths_in(std::string_view command) {
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
    std::string_view path = command.substr(i, end - i);
    i = end;
    while (path.starts_with("./"))
      path.remove_prefix(2);
    while (!path.empty() && path.back() == '.')
      path.remove_suffix(1);
    const auto slash = path.rfind('/');
    const auto dot = path.rfind('.');
    if (pattern || slash == std::string_view::npos || dot == std::string_view::npos || dot <= slash + 1) continue;
    if (path.find("//") != std::string_view::npos || path.find("...") != std::string_view::npos) continue;
    const std::size_t extension = path.size() - dot - 1;
    if (extension >= 1 && extension <= 5 && std::isalpha(static_cast<unsigned char>(path[dot + 1])) != 0)
      out.push_back(path);
  }
  return out;
}

// "Now let me update the lock check:" → "update the lock check"
std::string purpose_of(std::string_view said) {
  constexpr std::array<std::string_view, 14> kOpenings{"Now ",   "Now, ",   "Good. ",     "Let me ", "let me ",
                                                       "I'll ",  "I will ", "I need to ", "also ",   "Also ",
                                                       "Next, ", "And ",    "Then ",      "First, "};
  bool announces = said.ends_with(':');
  bool again = true;
  while (again) {
    again = false;
    for (const std::string_view opening : kOpenings)
      if (said.starts_with(opening)) said.remove_prefix(opening.size()), again = announces = true;
  }
  if (!announces) return {};  // it speaks of something else
  std::string out = shortened(said, kPurposeBytes);
  while (!out.empty() && (out.back() == ':' || out.back() == '.' || out.back() == ' '))
    out.pop_back();
  return out;
}

}  // namespace

void find_files(const SessionPast& past, WorkingState& out) {
  std::map<std::string, FileUse, std::less<>> files;
  std::map<std::string, std::int64_t, std::less<>> edited_at;
  const std::string root = past.cwd.empty() ? std::string() : past.cwd + "/";
  const auto use = [&](std::string_view path) -> FileUse& {
    const bool relative = !path.starts_with('/') && !path.starts_with('~');
    std::string name = relative && !(path.size() > 1 && path[1] == ':') ? root + std::string(path) : std::string(path);
    FileUse& file = files[name];
    if (file.path.empty()) file.path = std::move(name);
    return file;
  };
  const PastEvent* said = nullptr;  // the last words of the agent
  for (const PastEvent& e : past.events) {
    if (e.kind == EventKind::assistant_msg) said = &e;
    if (e.kind == EventKind::user_msg) said = nullptr;
    if (e.kind == EventKind::tool_call && e.path.empty() && runs_commands(e.tool)) {
      bool whole = true;
      const std::string line = command_line(past, e, whole);
      for (const std::string_view path : paths_in(std::string_view(line).substr(0, line.find("<<")))) {
        FileUse& file = use(path);
        if (file.exchange == 0) file.exchange = id_of(past, e.exchange);
        file.score += weights::kFileInCommand * weights::decay(e.age, weights::kFileHalfLife);
      }
    }
    const bool call = e.kind == EventKind::tool_call;
    const bool told_edit = e.kind == EventKind::edit && e.pair_seq == std::nullopt && !e.path.empty();
    if (e.path.empty() || !(call || told_edit)) continue;
    const auto slash = e.path.rfind('/');
    const bool is_file =
        e.modifies || told_edit || e.path.find('.', slash == std::string::npos ? 0 : slash) != std::string::npos;
    if (!is_file) continue;  // a directory that was searched
    FileUse& file = use(e.path);
    const bool modified = e.modifies || told_edit;
    if (told_edit) {
      // The edit itself; the call that made it was counted when it was seen.
      if (edited_at.contains(file.path)) continue;
    }
    file.edits += modified;
    file.reads += !modified;
    if (modified) edited_at[file.path] = e.seq;
    file.exchange = id_of(past, e.exchange);
    file.score +=
        (modified ? weights::kFileModified : weights::kFileRead) * weights::decay(e.age, weights::kFileHalfLife);
    if (said != nullptr && said->age <= e.age + 4 && (modified || file.edits == 0)) {
      std::string purpose = purpose_of(said->summary);
      if (!purpose.empty()) file.purpose = std::move(purpose);
    }
  }
  for (auto& [path, file] : files)
    out.files.push_back(std::move(file));
  std::sort(out.files.begin(), out.files.end(), [](const FileUse& a, const FileUse& b) {
    return a.score != b.score ? a.score > b.score : a.path < b.path;
  });
  if (out.files.size() > kFiles) out.files.resize(kFiles);
}

}  // namespace memd::continuity
