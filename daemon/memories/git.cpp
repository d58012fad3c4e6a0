#include "daemon/memories/git.hpp"

#include "daemon/child_process.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/files/git_place.hpp"
#include "store/files/path_name.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace memd::memories {
namespace {

constexpr std::size_t kMostOutput = std::size_t{32} << 20;
constexpr std::chrono::milliseconds kPatience{10'000};

std::vector<std::string> environment() {
  const char* path = std::getenv("PATH");
  return {std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"),
          "LC_ALL=C",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_SYSTEM=/dev/null",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_ATTR_NOSYSTEM=1",
          "GIT_OPTIONAL_LOCKS=0",
          "GIT_NO_LAZY_FETCH=1",
          "GIT_NO_REPLACE_OBJECTS=1",
          "GIT_ALLOW_PROTOCOL=",  // an empty list: none
          "GIT_TERMINAL_PROMPT=0",
          "GIT_PAGER=cat"};
}

Result<ChildOutput> run_git(const std::filesystem::path& directory, std::vector<std::string> arguments) {
  ChildCommand command;
  command.arguments = {"git",
                       "--no-pager",
                       "--no-optional-locks",
                       "--literal-pathspecs",
                       "-C",
                       directory.string(),
                       "-c",
                       "core.fsmonitor=false",
                       "-c",
                       "core.hooksPath=/dev/null",
                       "-c",
                       "log.showSignature=false",
                       "-c",
                       "protocol.allow=never"};
  command.arguments.insert(command.arguments.end(), std::make_move_iterator(arguments.begin()),
                           std::make_move_iterator(arguments.end()));
  command.environment = environment();
  command.patience = kPatience;
  command.most_output = kMostOutput;
  command.keep_errors = false;
  return run_child(command);
}

bool is_word(std::string_view word) { return !word.empty() && std::all_of(word.begin(), word.end(), ascii::is_word); }

Error git_failed(const std::filesystem::path& top, int code) {
  return Error(Errc::io, "git failed with " + std::to_string(code) + " in " + top.string());
}

Result<std::vector<GitCommit>> commits_of(const std::filesystem::path& top, std::vector<std::string> arguments) {
  std::vector<std::string> all{"log",           "-n20",          "--format=%H %s", "--no-show-signature",
                               "--no-ext-diff", "--no-textconv", "--no-color"};
  all.insert(all.end(), std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
  MEMD_TRY_ASSIGN(const auto output, run_git(top, std::move(all)));
  if (output.exit_code != 0) return git_failed(top, output.exit_code);
  std::vector<GitCommit> out;
  for (const std::string& line : ascii::split(output.text, '\n')) {
    const auto blank = std::min(line.find(' '), line.size());
    out.push_back({line.substr(0, blank), line.substr(std::min(blank + 1, line.size()))});
  }
  return out;
}

// Returns whether the history in `common` belongs to the directory: a repository could name that of another one, whose
// subjects would then be shown. A worktree and its repository name one another; a submodule is in the repository around
// it.
bool has_own_history(const std::filesystem::path& directory, const std::filesystem::path& common) {
  if (files::is_inside(common, directory)) return true;
  if (const auto place = files::git_place_of(directory.native()); place && !place->worktree.empty()) return true;
  for (auto above = directory.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (files::is_inside(common, above / ".git/modules")) return true;
  return false;
}

}  // namespace

Result<Git> Git::open(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  MEMD_TRY_ASSIGN(const auto output, run_git(directory, {"rev-parse", "--show-toplevel", "--git-common-dir"}));
  const auto lines = ascii::split(output.text, '\n');
  if (output.exit_code != 0 || lines.size() != 2)
    return Error(Errc::not_found, directory.string() + " is in no git repository that memd may read");
  std::error_code ec;
  const fs::path top = fs::weakly_canonical(lines[0], ec);
  if (!files::is_inside(fs::weakly_canonical(directory, ec), top) ||
      !has_own_history(top, fs::weakly_canonical(directory / lines[1], ec)))
    return Error(Errc::not_found, directory.string() + " names a working tree or a history elsewhere (" +
                                      ascii::one_line(lines[0]) + ", " + ascii::one_line(lines[1]) +
                                      "): memd reads only those of the repository itself");
  return Git(lines[0]);
}

Result<std::string> Git::commit(std::string_view name) const {
  if (name != "HEAD" && (name.size() < 4 || !std::all_of(name.begin(), name.end(), ascii::is_hex)))
    return std::string();
  MEMD_TRY_ASSIGN(const auto output,
                  run_git(top_, {"rev-parse", "--verify", "--quiet", std::string(name) + "^{commit}"}));
  return output.exit_code == 0 ? std::string(ascii::trimmed(output.text)) : std::string();
}

Result<std::string> Git::commit_at(TimeMs time) const {
  MEMD_TRY_ASSIGN(const auto output,
                  run_git(top_, {"rev-list", "-n1", "--before=" + format_rfc3339(time), "HEAD", "--"}));
  return output.exit_code == 0 ? std::string(ascii::trimmed(output.text)) : std::string();
}

Result<std::vector<std::string>> Git::files(const std::string& commit) const {
  MEMD_TRY_ASSIGN(const auto output, run_git(top_, {"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit}));
  if (output.exit_code != 0) return git_failed(top_, output.exit_code);
  return ascii::split(output.text, '\0');
}

Result<bool> Git::holds_word(const std::string& commit, const std::string& word) const {
  if (!is_word(word)) return false;
  MEMD_TRY_ASSIGN(const auto output,
                  run_git(top_, {"grep", "-q", "-w", "-F", "--no-textconv", "-e", word, commit, "--"}));
  return output.exit_code == 0;
}

Result<std::vector<GitCommit>> Git::changes_of_files(const std::string& base,
                                                     const std::vector<std::string>& files) const {
  if (files.empty()) return std::vector<GitCommit>();
  std::vector<std::string> arguments{base + "..HEAD", "--"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return commits_of(top_, std::move(arguments));
}

Result<std::vector<GitCommit>> Git::changes_of_word(const std::string& base, const std::string& word) const {
  if (!is_word(word)) return std::vector<GitCommit>();
  return commits_of(top_,
                    {"-G(^|[^A-Za-z0-9_])" + word + "([^A-Za-z0-9_]|$)", "--extended-regexp", base + "..HEAD", "--"});
}

}  // namespace memd::memories
