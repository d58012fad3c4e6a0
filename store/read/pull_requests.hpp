#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <vector>

// Members throw ErrorException.
namespace memd::queries {

// Of a session, each once, in order of time.
std::vector<PullRequestRow> pull_requests_of(sqlite::Database& db, std::int64_t session_pk);

// Fills in CommitRow::pull_request: of those of the commit's session and branch the first one behind the commit, for a
// commit is made before it is asked to be pulled; else the last one before it. A subagent's commits go with those of
// the session that started it where its own has none.
void join_pull_requests(sqlite::Database& db, std::vector<CommitRow>& commits);

// Commits made in the exchanges first to last of a session, in order of time, with their pull requests.
std::vector<CommitRow> commits_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first, std::int64_t last);

}  // namespace memd::queries
