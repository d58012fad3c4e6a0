#pragma once

#include <string>
#include <string_view>

namespace memd {

struct ProjectIdentity {
  std::string key;       // joins the same repository across platforms and worktrees
  std::string name;      // last component, for people
  std::string worktree;  // name of the worktree, if the path tells that it is one
};

// Derives the identity from a working directory as an agent wrote it, or from its file: URI. Does not access the file
// system, because the directory may be on another machine or deleted. The same repository gets the same key
//   * in each spelling of its path: trailing and double slashes, "." and "..", percent signs, file:///c%3A/x, C:\x,
//     c:/x, /c/Users/x (Git Bash; only below Users, Windows, Program Files and ProgramData, because Linux has paths
//     like /w/x), /mnt/c/x (WSL), \\wsl$\Ubuntu\home\x, /private/tmp/x (macOS); Windows paths in any case;
//   * in its worktrees: <repo>/.git/worktrees/w, <repo>/.worktrees/w, <repo>/worktrees/w, <repo>/.claude/worktrees/w
//     and the like, <repo>.worktrees/w, <repo>-worktrees/w, and the directory name <repo>--worktrees-w that Claude Code
//     makes of such a path.
// Worktrees that a tool keeps in its own directory below the home (~/.cursor/worktrees/<repo>/<id>) share a key with
// one another, not with ~/src/<repo>: only their .git file names it (assembly::ProjectRows). Symbolic links,
// subdirectories of a repository and file systems that ignore case (macOS) are not recognised either. Pure;
// thread-safe.
ProjectIdentity project_identity(std::string_view cwd);

// Returns a key for the URL of a remote, the same for each way of reaching it: "git@github.com:ada/parcel.git" and
// "https://ada@github.com/ada/parcel" are "github.com/ada/parcel". Pure; thread-safe.
std::string remote_identity(std::string_view url);

}  // namespace memd
