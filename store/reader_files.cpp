// What agents did to files, and the commits they made.
#include "store/read/file_history.hpp"
#include "store/read/paths.hpp"
#include "store/reader_connection.hpp"

namespace memd {

Result<PathFinding> Reader::find_paths(std::string_view text) {
  return ask(PathFinding(), [&](Connection& c) { return queries::find_paths(c.db, text); });
}

Result<FileHistory> Reader::file_history(const FileHistoryQuery& query) {
  return ask(FileHistory(), [&](Connection& c) { return queries::file_history(c.db, query); });
}

Result<EditPlaces> Reader::edit_places(const FileHistoryQuery& query, int limit) {
  return ask(EditPlaces(), [&](Connection& c) { return queries::edit_places(c.db, query, limit); });
}

Result<std::vector<CommitRow>> Reader::commits(std::string_view sha) {
  return ask(std::vector<CommitRow>(), [&](Connection& c) { return queries::commits_by_sha(c.db, sha); });
}

Result<std::optional<CommitRow>> Reader::commit_before(const CommitRow& commit) {
  return ask(std::optional<CommitRow>(),
             [&](Connection& c) { return queries::commit_before(c.db, commit.session_pk, commit.event_seq); });
}

Result<std::vector<CommitCandidate>> Reader::commit_candidates(const CommitClues& clues) {
  return ask(std::vector<CommitCandidate>(), [&](Connection& c) { return queries::commit_candidates(c.db, clues); });
}

}  // namespace memd
