#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memd::files {

struct GitPlace {
  std::string repository;  // project_identity() key of the repository around a directory; empty: none
  std::string worktree;    // name of its worktree, if the directory is in one that is not the main one
  std::string branch;      // that is checked out; empty: none, or it is not known
};

// Finds the repository of a directory by the nearest `.git` in it or above it. A `.git` file names a worktree
// (gitrepository-layout(5)): the repository that it names has to name the worktree in turn, so that no directory can
// claim to belong to a foreign repository. A submodule is a repository of its own. Reads regular files of at most 4 KiB
// and follows no symbolic link to them. nullopt: the directory is not absolute, or cannot be seen here. Thread-safe.
std::optional<GitPlace> git_place_of(std::string_view directory);

// Returns the repository of the git worktree that a directory is in, else the directory. Thread-safe.
std::string repository_of(const std::string& directory);

}  // namespace memd::files
