#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Commits and pull requests found in the output of tools.
namespace memd::assembly {

// A commit as git prints it: "[main 1a2b3c4] Add an index".
struct CommitLine {
  std::string sha;      // as printed: at least 7 hexadecimal digits
  std::string branch;   // empty: a detached HEAD
  std::string subject;  // at most kCommitSubjectBytes
};
inline constexpr std::size_t kCommitSubjectBytes = 120;

// Returns the commits that the output of a shell command reports, made by commit, cherry-pick, rebase, merge or a
// script. A line in git's format only counts if git's own output follows it ("2 files changed", " Date: …") or if it is
// the first line of a command that mentions git.
std::vector<CommitLine> commits_in(std::string_view output, bool speaks_of_git);

// Inserts rows of `commits` for the result at `seq`. `call` is the call that it answers. The rows are deleted together
// with the event. Writer thread only. Throws ErrorException.
void save_commits(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                  const Event& result, std::int64_t seq);

// Returns the pull requests in the output of a command that opens one: lines that consist of a pull request's URL.
std::vector<std::string> pull_requests_in(std::string_view output);

// Inserts rows of `pull_requests` for the result at `seq`. `call` is the call that it answers. The rows are deleted
// together with the event. Writer thread only. Throws ErrorException, as does the next function.
void save_pull_requests(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                        const Event& result, std::int64_t seq);
// Handles the event "pr_link", an agent's own record of a pull request of the session.
void save_linked_pull_request(sqlite::Database& db, EventRows& events, const SessionWork& session, const Event& link,
                              std::int64_t seq);

}  // namespace memd::assembly
