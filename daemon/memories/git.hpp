#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memories {

struct GitCommit {
  std::string sha;  // whole
  std::string subject;
};

// Reads the history of a repository with the program `git`. Nothing of a repository is run: no hooks, monitors, pagers,
// signature programs, external diffs, filters, transports; its worktree is not looked at, nothing is locked or fetched,
// and configurations of the user and the system are left out. Each question may take ten seconds. Errc::unavailable: no
// git, too slow; Errc::not_found: no repository, or one that belongs to somebody else. A value; any thread.
class Git {
 public:
  static Result<Git> open(const std::filesystem::path& directory);

  const std::filesystem::path& top() const { return top_; }
  // Returns the full id of a commit; empty: there is none. `name`: "HEAD", or hexadecimal digits.
  Result<std::string> commit(std::string_view name) const;
  // The last commit of HEAD not younger than this; empty: there is none.
  Result<std::string> commit_at(TimeMs time) const;
  // Returns all paths of a commit.
  Result<std::vector<std::string>> files(const std::string& commit) const;
  // Returns whether a file of the commit contains the word.
  Result<bool> holds_word(const std::string& commit, const std::string& word) const;
  // Returns the commits after `base` up to HEAD that changed one of the files: newest first, at most 20.
  Result<std::vector<GitCommit>> changes_of_files(const std::string& base, const std::vector<std::string>& files) const;
  // The same for commits that added or removed a line with the word, which is one of letters, digits and '_'.
  Result<std::vector<GitCommit>> changes_of_word(const std::string& base, const std::string& word) const;

 private:
  explicit Git(std::filesystem::path top) : top_(std::move(top)) {}
  std::filesystem::path top_;
};

}  // namespace memd::memories
