#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace memd::assembly
