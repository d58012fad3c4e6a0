#pragma once

#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/session_row.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Results of queries about the files that agents changed and the commits they made.
namespace memd {

struct KnownPath {
  std::int64_t pk = 0;
  std::string path;
};

// The way a caller's path matches the stored paths.
enum class PathFit { none, exact, suffix, directory, pattern };

struct PathFinding {
  PathFit fit = PathFit::none;
  std::vector<KnownPath> paths;      // in order of the path; at most kMostPaths
  bool more = false;                 // more paths match
  std::vector<std::string> similar;  // if nothing matches: names that contain the requested text
};
inline constexpr int kMostPaths = 2000;

// Where a session told of a commit or a pull request.
struct GitMention {
  std::string branch;  // of a pull request: that of the session's last commit before it; empty: unknown
  TimeMs time = 0;
  std::int64_t exchange_number = 0;  // -1: none
  ExchangeId exchange_id = 0;        // 0: none
  std::int64_t event_seq = 0;
};

// A commit, as git reported it in a session.
struct CommitRow : GitMention {
  std::string sha;  // abbreviated, at least 7 digits
  std::string subject;
  std::int64_t session_pk = 0;
  std::string session_uid;
  std::string pull_request;  // URL of the pull request of its session that probably contains it; empty: unknown
};

// A pull request (merge request) that a session opened, or that its agent linked to it.
struct PullRequestRow : GitMention {
  std::string url;
};

// The result of a test run.
struct TestRun {
  RunOutcome outcome = RunOutcome::unknown;
  std::string summary;    // "passed: go test ./..."
  bool same_turn = true;  // false: it ran in the next exchange
};

// One exchange that touched the files asked for.
struct FileUse {
  ExchangeId exchange_id = 0;
  std::int64_t session_pk = 0;
  std::int64_t exchange_number = 0;
  TimeMs time = 0;
  std::vector<ExchangeFile> files;
  Origin origin{};
  std::string user_message;  // its beginning
  std::string assistant_response;
  std::string said_before;  // the agent's last words before it first touched one of the files, one line, may be
                            // cut; when there are none, the beginning of its final answer
  std::string last_error;   // of a tool, after that; one line, may be cut
  std::int64_t tool_errors = 0;
  std::optional<TestRun> test;      // the first test run after the last change of one of the files
  std::optional<CommitRow> commit;  // the first commit of the session after the last change
};

struct FileUseSession : SessionRow {
  std::vector<std::string> pull_requests;  // in order of time
};

struct PathTotal {
  std::string path;
  std::int64_t exchanges = 0;
  TimeMs last = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

struct FileHistory {
  std::vector<FileUse> uses;  // sessions by their last touch, newest first; the newest exchange of each first
  std::vector<FileUseSession> sessions;  // of the uses
  std::vector<PathTotal> paths;          // of all uses, the last touched first; at most 20
  std::int64_t total_paths = 0;
  std::int64_t total_exchanges = 0;
  std::int64_t total_sessions = 0;
};

// An edit of one file, and the events whose records contain the change.
struct EditPlace {
  ExchangeId exchange_id = 0;
  std::int64_t session_pk = 0;
  TimeMs time = 0;
  std::vector<std::int64_t> records;  // seq of events, the more detailed record first
};
struct EditPlaces {
  std::vector<EditPlace> edits;  // oldest first
  bool more = false;             // there are older ones
};

// A session that may have made a commit.
struct CommitCandidate {
  std::int64_t session_pk = 0;
  std::string session_uid;
  std::string branch;  // of its last exchange in the window
  std::int64_t first_exchange = 0;
  std::int64_t last_exchange = 0;
  TimeMs last_change = 0;
  int names = 0;  // number of the commit's files that it changed
};

// One changed range of a file, as far as the record describes it.
struct EditHunk {
  // Lines from 1, as unified diffs count them. 0 in both: the record does not say where.
  std::int64_t old_start = 0;
  std::int64_t old_lines = 0;
  std::int64_t new_start = 0;
  std::int64_t new_lines = 0;
  std::string text;  // lines that begin with '+', '-' or ' '
  bool placed() const { return old_start + new_start > 0; }
};
struct RecordedEdit {
  std::string path;         // as the record names it; may be relative
  bool whole_file = false;  // it was rewritten from its first line on
  std::vector<EditHunk> hunks;
};

}  // namespace memd
