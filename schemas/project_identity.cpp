#include "schemas/project_identity.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace memd {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? ascii::hex_value(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : ascii::hex_value(text[i + 2]);
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Returns the path of a URI: "file:///home/x", "vscode-remote://wsl+ubuntu/home/x". The machine is ignored, because the
// repository is the same, except in a file URI of a network share.
std::string without_uri(std::string_view text) {
  const auto scheme = text.find("://");
  if (scheme != std::string_view::npos && scheme > 1) {
    const bool file = ascii::starts_nocase(text, "file:");
    const auto path = text.find('/', scheme + 3);
    if (path == std::string_view::npos) return std::string(text);
    const bool share =
        file && path > scheme + 3 && ascii::lowered(text.substr(scheme + 3, path - scheme - 3)) != "localhost";
    return percent_decoded(share ? text.substr(scheme + 1) : text.substr(path));
  }
  const bool encoded_drive = text.size() > 3 && ascii::is_letter(text[text[0] == '/' ? 1 : 0]) &&
                             ascii::starts_nocase(text.substr(text[0] == '/' ? 2 : 1), "%3a");
  return encoded_drive ? percent_decoded(text) : std::string(text);
}

// The components of a path: "/home/x" is {"/", [home, x]}, "C:\x" {"c:/", [x]}, "\\server\share\x" {"//", [server,
// share, x]}.
struct Path {
  std::string root;
  std::vector<std::string> parts;
  bool windows = false;

  std::string key(std::size_t count) const {
    std::string out = root;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += '/';
      out += windows ? ascii::lowered(parts[i]) : parts[i];
    }
    return out;
  }
};

void split(std::string_view text, std::vector<std::string>& parts) {
  while (!text.empty()) {
    const auto part = ascii::take_until(text, '/');
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != "." && part != "..")
      parts.emplace_back(part);
  }
}

void become_drive(Path& path, char letter, std::size_t parts_before) {
  path.root = {ascii::lower(letter), ':', '/'};
  path.windows = true;
  path.parts.erase(path.parts.begin(), path.parts.begin() + static_cast<std::ptrdiff_t>(parts_before));
}

// Returns whether the parts are those of a Git Bash path, "/c/Users/x". A directory of Linux may have a name of one
// letter, too ("/w/app"), so the next one decides.
bool is_msys(const std::vector<std::string>& parts) {
  static constexpr std::array<std::string_view, 5> kOfWindows{"users", "windows", "programdata", "program files",
                                                              "program files (x86)"};
  return parts.size() > 1 && parts[0].size() == 1 && ascii::is_letter(parts[0][0]) &&
         is_one_of(ascii::lowered(parts[1]), kOfWindows);
}

Path parse(std::string text) {
  const auto drive_at = [&](std::size_t at) {
    return text.size() > at + 1 && ascii::is_letter(text[at]) && text[at + 1] == ':' &&
           (text.size() == at + 2 || text[at + 2] == '/' || text[at + 2] == '\\');
  };
  Path path;
  const std::size_t drive = drive_at(0) ? 0 : text.starts_with('/') && drive_at(1) ? 1 : std::string::npos;
  const bool unc = text.starts_with("\\\\") || text.starts_with("//");
  if (drive != std::string::npos || unc) std::replace(text.begin(), text.end(), '\\', '/');
  if (drive != std::string::npos) {
    split(std::string_view(text).substr(drive + 2), path.parts);
    become_drive(path, text[drive], 0);
    return path;
  }
  split(text, path.parts);
  auto& parts = path.parts;
  if (text.starts_with("//?/") && parts.size() > 1 && parts[1].size() == 2 && parts[1][1] == ':') {
    become_drive(path, parts[1][0], 2);  // the long form of Windows
    return path;
  }
  if (unc && parts.size() > 1 && (ascii::lowered(parts[0]) == "wsl$" || ascii::lowered(parts[0]) == "wsl.localhost")) {
    path.root = "/";  // a Linux path seen from Windows; the second part is the distribution
    parts.erase(parts.begin(), parts.begin() + 2);
  } else if (unc && text.starts_with("//") && parts.size() > 1) {
    path.root = "//";
    path.windows = true;
    return path;
  } else if (text.starts_with('/')) {
    path.root = "/";
  }
  if (path.root.empty()) return path;
  if (parts.size() > 2 && parts[0] == "mnt" && parts[1].size() == 1 && ascii::is_letter(parts[1][0]))
    become_drive(path, parts[1][0], 2);
  else if (is_msys(parts))
    become_drive(path, parts[0][0], 1);
  else if (parts.size() > 1 && parts[0] == "private" &&
           is_one_of(parts[1], std::array<std::string_view, 3>{"tmp", "var", "etc"}))
    parts.erase(parts.begin());
  return path;
}

// Returns whether the first `count` parts are a home directory or a common parent directory of repositories, not a
// repository itself.
bool holds_repositories(const Path& path, std::size_t count) {
  static constexpr std::array<std::string_view, 3> kHomes{"home", "users", "root"};
  static constexpr std::array<std::string_view, 18> kFolders{
      "src",   "source",     "code", "dev",          "develop", "development", "developer", "projects", "project",
      "repos", "workspaces", "git",  "repositories", "work",    "workspace",   "documents", "tmp",      "github"};
  if (count == 0) return true;
  const std::string first = ascii::lowered(path.parts[0]);
  if (count <= 2 && is_one_of(first, kHomes)) return true;
  return is_one_of(ascii::lowered(path.parts[count - 1]), kFolders);
}

struct Cut {
  std::size_t parts;  // number of leading parts that name the repository
  std::string last;   // replaces the last of them; empty: it stays
  std::string worktree{};
};

// Returns the repository's name from "<repo>.worktrees" and the like; empty for other names.
std::string_view sibling_of(std::string_view part) {
  for (const std::string_view suffix : {".worktrees", "-worktrees", "_worktrees", ".worktree", "-worktree"})
    if (part.size() > suffix.size() && part.ends_with(suffix)) return part.substr(0, part.size() - suffix.size());
  return {};
}

// Returns where the repository's path ends in the path of one of its worktrees. In a tool's own directory below the
// home, Codex writes "<id>/<repo>" and others "<repo>/<id>".
std::optional<Cut> find_worktree(const Path& path) {
  constexpr std::string_view kDashed = "--worktrees-";
  const auto& parts = path.parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto dashes = parts[i].find(kDashed);
    if (dashes != std::string::npos && dashes > 0)
      return Cut{i + 1, parts[i].substr(0, dashes), parts[i].substr(dashes + kDashed.size())};
    if (i + 1 == parts.size()) break;
    if (const auto name = sibling_of(parts[i]); !name.empty()) return Cut{i + 1, std::string(name), parts[i + 1]};
    const bool hidden = parts[i] == ".worktrees" || parts[i] == ".trees";
    if (hidden && i > 0 && !holds_repositories(path, i)) return Cut{i, {}, parts[i + 1]};
    if (parts[i] != "worktrees" || i == 0) continue;
    const std::string& holder = parts[i - 1];
    if (holder == ".git") return i > 1 ? std::optional(Cut{i - 1, {}, parts[i + 1]}) : std::nullopt;
    if (!holder.starts_with('.')) {
      if (holder.size() > 4 && holder.ends_with(".git"))
        return Cut{i, holder.substr(0, holder.size() - 4), parts[i + 1]};  // bare
      if (!holds_repositories(path, i)) return Cut{i, {}, parts[i + 1]};
      continue;
    }
    if (i > 1 && !holds_repositories(path, i - 1)) return Cut{i - 1, {}, parts[i + 1]};
    const bool id_first = holder == ".codex" && i + 2 < parts.size();
    if (id_first) return Cut{i + 2, parts[i + 2], parts[i + 1]};
    return Cut{i + 2, {}, i + 2 < parts.size() ? parts[i + 2] : std::string()};
  }
  return std::nullopt;
}

}  // namespace

ProjectIdentity project_identity(std::string_view cwd) {
  Path path = parse(without_uri(cwd));
  if (!path.parts.empty() && path.parts.back() == ".git" && path.parts.size() > 1) path.parts.pop_back();
  std::string worktree;
  if (auto cut = find_worktree(path)) {
    worktree = std::move(cut->worktree);
    path.parts.resize(cut->parts);
    if (!cut->last.empty()) path.parts.back() = cut->last;
  }
  std::string key = path.key(path.parts.size());
  std::string name = path.parts.empty() ? key : path.parts.back();
  return {std::move(key), std::move(name), std::move(worktree)};
}

std::string remote_identity(std::string_view url) {
  url = ascii::trimmed(url);
  const auto scheme = url.find("://");
  std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  const bool is_path = rest.starts_with('/') || rest.starts_with('.');
  std::string out;
  if (!is_path) {
    const auto end_of_host = rest.find(scheme == std::string_view::npos ? ':' : '/');
    if (end_of_host == std::string_view::npos) return {};
    std::string_view host = rest.substr(0, end_of_host);
    if (const auto user = host.rfind('@'); user != std::string_view::npos) host.remove_prefix(user + 1);
    out = ascii::lowered(host.substr(0, host.find(':')));
    rest.remove_prefix(end_of_host + 1);
    while (rest.starts_with('/'))
      rest.remove_prefix(1);
    out += '/';
  }
  while (rest.ends_with('/'))
    rest.remove_suffix(1);
  if (rest.ends_with(".git")) rest.remove_suffix(4);
  return rest.empty() ? std::string() : out.append(rest);
}

}  // namespace memd
