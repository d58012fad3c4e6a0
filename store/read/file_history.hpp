#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <string_view>
#include <vector>

// Members throw ErrorException.
namespace memd::queries {

// Exchanges that touched the files, a page of them with what is known of each.
FileHistory file_history(sqlite::Database& db, const FileHistoryQuery& query);

// The newest `limit` edits of a file that were made, oldest first.
EditPlaces edit_places(sqlite::Database& db, const FileHistoryQuery& query, int limit);

// Commits whose id begins with `sha`, or is the beginning of it; newest first, at most 20. `sha` is in lower case.
std::vector<CommitRow> commits_by_sha(sqlite::Database& db, std::string_view sha);

// The commit made in the session before the one at `event_seq`, and the first one behind it.
std::optional<CommitRow> commit_before(sqlite::Database& db, std::int64_t session_pk, std::int64_t event_seq);
std::optional<CommitRow> commit_after(sqlite::Database& db, std::int64_t session_pk, std::int64_t event_seq);

// Sessions that changed files of a commit in the time before it; most files first, then the nearest in time.
std::vector<CommitCandidate> commit_candidates(sqlite::Database& db, const CommitClues& clues);

}  // namespace memd::queries
