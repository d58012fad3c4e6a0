#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memd {

// Commits that sessions tell of, by the beginning of their id (lower case) or by a longer form of it; newest first, at
// most 20.
struct CommitsQuery {
  std::string_view sha;

  using Answer = std::vector<CommitRow>;
  Answer run(sqlite::Database& db) const;
};

// The last commit of a session before one of its events.
struct CommitBeforeQuery {
  std::int64_t session_pk = 0;
  std::int64_t event_seq = 0;

  using Answer = std::optional<CommitRow>;
  Answer run(sqlite::Database& db) const;
};

// Sessions that changed files of a commit in the time before it; most files first, then the nearest in time.
struct CommitCandidatesQuery {
  TimeMs time = 0;                  // of the commit
  std::string branch{};             // empty: not known
  std::vector<std::int64_t> paths;  // pks of paths that may be meant by its names
  std::vector<int> name_of;         // of each: which of the commit's names it fits
  TimeMs window = 0;                // how long before the commit its changes may lie
  QueryFilter filter;

  using Answer = std::vector<CommitCandidate>;
  Answer run(sqlite::Database& db) const;
};

// For other queries. Functions throw ErrorException.
namespace queries {

// Commits made in the exchanges first to last of a session, in order of time, with their pull requests.
std::vector<CommitRow> commits_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first, std::int64_t last);
// The first commit of a session behind one of its events.
std::optional<CommitRow> commit_after(sqlite::Database& db, std::int64_t session_pk, std::int64_t event_seq);

// Of a session, each once, in order of time.
std::vector<PullRequestRow> pull_requests_of(sqlite::Database& db, std::int64_t session_pk);

// Fills in CommitRow::pull_request. A commit is made before somebody asks to pull it: the first request of its session
// and branch behind it, else the last one before it. A subagent without requests of its own takes those of the session
// that started it.
void join_pull_requests(sqlite::Database& db, std::vector<CommitRow>& commits);

}  // namespace queries
}  // namespace memd
