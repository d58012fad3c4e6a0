#pragma once

#include <string>
#include <string_view>

namespace memd {

struct ProjectIdentity {
  std::string key;   // joins the same repository across platforms and worktrees
  std::string name;  // last component, for people
};

// Derived from a working directory alone (no file system access: the directory may be another machine's, or gone).
// Windows paths are put into one spelling (drive letter lower case, forward slashes); "/x/repo/.worktrees/b/c" and
// "/x/repo/.claude/worktrees/b" belong to "/x/repo".
ProjectIdentity project_identity(std::string_view cwd);

}  // namespace memd
