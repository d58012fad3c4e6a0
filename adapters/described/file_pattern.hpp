#pragma once

#include <optional>
#include <string>
#include <string_view>

// Patterns of files below a root: `*` stands for any characters but "/", "**/" for any folders, {session} and {parent}
// for the id of a session. Pure functions, any thread.
namespace memd::described {

struct FileMatch {
  std::string session;  // empty: the pattern has no {session}
  std::string parent;
};

// Returns whether a path relative to the root fits, and what stands in it.
std::optional<FileMatch> match_file(std::string_view pattern, std::string_view path);
// Returns whether the end of a path fits: its last folders and the file.
std::optional<FileMatch> match_file_end(std::string_view pattern, std::string_view path);
// Returns whether files that fit may be in a folder, relative to the root, or below it.
bool may_hold(std::string_view pattern, std::string_view folder);

}  // namespace memd::described
