#pragma once

#include "schemas/file_history.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memd {

// Finds commits reported in sessions by an id prefix in lower case, or by a longer form of the stored id. Newest first,
// at most 20.
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

// Finds sessions that changed files of a commit within `window` before it. Sorted by the number of files, then by
// distance in time.
struct CommitCandidatesQuery {
  TimeMs time = 0;                  // time of the commit
  std::string branch{};             // empty: unknown
  std::vector<std::int64_t> paths;  // pks of the paths that the commit's file names may refer to
  std::vector<int> name_of;         // parallel to `paths`: the index of the commit's file name that the path matches
  TimeMs window = 0;                // ms before the commit in which its changes are searched
  QueryFilter filter;

  using Answer = std::vector<CommitCandidate>;
  Answer run(sqlite::Database& db) const;
};

// Used by other queries. Functions throw ErrorException. Connection thread.
namespace queries {

// Returns the commits made in exchanges first to last of a session, in order of time, with their pull requests.
std::vector<CommitRow> commits_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first, std::int64_t last);
// Returns the first commit of a session after one of its events.
std::optional<CommitRow> commit_after(sqlite::Database& db, std::int64_t session_pk, std::int64_t event_seq);

// Returns each pull request of a session once, in order of time.
std::vector<PullRequestRow> pull_requests_of(sqlite::Database& db, std::int64_t session_pk);

// Sets CommitRow::pull_request to the first request of the same session and branch after the commit, because a commit
// is made before its request is opened. Without one, takes the last request before the commit. A subagent without
// requests of its own uses those of its parent session.
void join_pull_requests(sqlite::Database& db, std::vector<CommitRow>& commits);

}  // namespace queries
}  // namespace memd
