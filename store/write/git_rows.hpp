#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Commits and pull requests that the output of tools tells of.
namespace memd::assembly {

// A commit as git tells of it: "[main 1a2b3c4] Add an index".
struct CommitLine {
  std::string sha;      // as shown: 7 hexadecimal digits or more
  std::string branch;   // empty: none (a detached HEAD)
  std::string subject;  // at most kCommitSubjectBytes
};
inline constexpr std::size_t kCommitSubjectBytes = 120;

// The commits that the output of a shell command says were made, by commit, cherry-pick, rebase, merge or a script. A
// line that only looks like git's does not count: what follows it has to be git's too ("2 files changed", " Date: …"),
// unless it is the first line of a command that speaks of git.
std::vector<CommitLine> commits_in(std::string_view output, bool speaks_of_git);

// Rows of `commits` for what the result at `seq` tells of. `call`: what it answers. They go when the event goes.
// Writer thread only. Throws ErrorException.
void save_commits(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                  const Event& result, std::int64_t seq);

// The pull requests that a command which opens one says it opened: lines that are an address and nothing else.
std::vector<std::string> pull_requests_in(std::string_view output);

// Rows of `pull_requests` for what the result at `seq` tells of. `call`: what it answers. They go when the event goes.
// Writer thread only. Throws ErrorException, as the next one does.
void save_pull_requests(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                        const Event& result, std::int64_t seq);
// For the event "pr_link": an agent's own record of a pull request of the session.
void save_linked_pull_request(sqlite::Database& db, EventRows& events, const SessionWork& session, const Event& link,
                              std::int64_t seq);

}  // namespace memd::assembly
