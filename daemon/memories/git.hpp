#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memories {

struct GitCommit {
  std::string sha;  // full id
  std::string subject;
};

// Reads the history of a repository with the program `git`. Runs nothing of the repository: no hooks, monitors, pagers,
// signature programs, external diffs, filters, transports. Does not read its worktree, locks and fetches nothing, and
// ignores the configuration of the user and the system. Each command may take ten seconds. Errc::unavailable: no git,
// or too slow; Errc::not_found: no repository, or one of another user. A value; any thread.
class Git {
 public:
  static Result<Git> open(const std::filesystem::path& directory);

  const std::filesystem::path& top() const { return top_; }
  // Returns the full id of a commit; empty: there is none. `name`: "HEAD", or hexadecimal digits.
  Result<std::string> commit(std::string_view name) const;
  // Returns the last commit of HEAD that is not newer than `time`; empty: there is none.
  Result<std::string> commit_at(TimeMs time) const;
  // Returns all paths of a commit.
  Result<std::vector<std::string>> files(const std::string& commit) const;
  // Returns whether a file of the commit contains the word.
  Result<bool> holds_word(const std::string& commit, const std::string& word) const;
  // Returns the commits after `base` up to HEAD that changed one of the files: newest first, at most 20.
  Result<std::vector<GitCommit>> changes_of_files(const std::string& base, const std::vector<std::string>& files) const;
  // The same for commits that added or removed a line with `word`: letters, digits and '_', else nothing is found.
  Result<std::vector<GitCommit>> changes_of_word(const std::string& base, const std::string& word) const;

 private:
  explicit Git(std::filesystem::path top) : top_(std::move(top)) {}
  std::filesystem::path top_;
};

}  // namespace memd::memories
