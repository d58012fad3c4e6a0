#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"
#include "schemas/file_history.hpp"

#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct FileHistoryParams : ScopeParams {
  std::optional<std::string> path;
  std::optional<std::string> lines;
  std::optional<std::string> symbol;
  std::string access = "any";
  std::optional<std::string> commit;
  std::optional<std::string> commit_time;
  std::optional<std::string> branch;
  std::vector<std::string> paths;
};

struct FileUseOut {
  std::string exchange_id;
  std::string timestamp;
  std::string access;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::optional<std::vector<std::string>> files;
  std::string asked;
  std::optional<std::string> said;
  std::optional<std::string> outcome;
  std::optional<std::string> test;
  std::optional<std::string> error;
  std::optional<std::string> committed_as;
  std::optional<std::string> lines;
  std::optional<std::string> match;
  std::optional<std::string> change;
};

struct FileSessionOut {
  std::string session_id;
  std::string session_name;
  std::string platform;
  std::string project;
  std::optional<std::string> git_branch;
  std::optional<std::vector<std::string>> pull_requests;
  std::vector<FileUseOut> exchanges;
};

struct PathTotalOut {
  std::string path;
  std::int64_t exchanges = 0;
  std::string last;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

struct CommitOut {
  std::optional<std::string> sha;
  std::optional<std::string> branch;
  std::optional<std::string> subject;
  std::string timestamp;
  std::string session_id;
  std::optional<std::string> exchange_id;
  std::optional<std::string> pull_request;
  std::string confidence;
  std::string evidence;
};

struct FileHistoryAnswer : Answer {
  std::optional<std::vector<CommitOut>> commits;
  std::vector<PathTotalOut> files;
  std::int64_t total_files = 0;
  std::int64_t total_exchanges = 0;
  std::int64_t total_sessions = 0;
  std::vector<FileSessionOut> sessions;
};
AnswerText render_text(const FileHistoryAnswer& answer);

void add_file_history(mcp::ToolRegistry& registry, const ToolServices& services);

// Returns the agent's words about the files of a use, on one line: the last sentence of its answer that names one of
// them, else its words before it touched the first, else a shorter line that names one. Empty if there are none.
std::string said_of_files(const FileUse& use);

// Returns the name of a file without its directories.
std::string_view base_name(std::string_view path);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::FileHistoryParams> {
  using T = tools::FileHistoryParams;
  static constexpr auto fields = join_fields(
      fields_of(field("path", &T::path, "Path, its end, a directory or a pattern (\"*.sql\").", length(0, 1000)),
                field("lines", &T::lines, "Only edits of these lines: \"120-180\".", length(0, 40)),
                field("symbol", &T::symbol, "Only edits of lines with this text.", length(0, 200)),
                field("access", &T::access, "", one_of("any", "modified", "read")),
                field("commit", &T::commit, "Its id, 4 digits or more.", length(0, 40)),
                field("commit_time", &T::commit_time, "With branch and paths: a commit that no session names.",
                      length(0, 60)),
                field("branch", &T::branch, "", length(0, 300)),
                field("paths", &T::paths, "", max_items(100), length(1, 1000))),
      tools::kPlatformFields, tools::kTimeFields, tools::kPageFields);
};
template <>
struct Describe<tools::FileUseOut> {
  using T = tools::FileUseOut;
  static constexpr auto fields = fields_of(
      field("exchange_id", &T::exchange_id, "For get_exchange."), field("timestamp", &T::timestamp, "RFC 3339."),
      field("access", &T::access, "modified, read or referenced, the most of them."),
      field("lines_added", &T::lines_added, "By edits."), field("lines_removed", &T::lines_removed, "By edits."),
      field("files", &T::files, "Which files, where several are meant."),
      field("asked", &T::asked, "Beginning of what the person asked."),
      field("said", &T::said, "What the agent said of it."),
      field("outcome", &T::outcome,
            "Of a change: tests_passed, tests_failed or tests_unknown after it, else not_tested."),
      field("test", &T::test, "Which tests."), field("error", &T::error, "Last error of a tool after it."),
      field("committed_as", &T::committed_as, "The session's next commit after the change."),
      field("lines", &T::lines, "Lines changed, numbered as the file was right after."),
      field(
          "match", &T::match,
          "placed: later edits all say where; estimated: some do not, numbers may be off; unplaced: not known where."),
      field("change", &T::change, "The lines themselves; cut where it ends in …"));
};
template <>
struct Describe<tools::FileSessionOut> {
  using T = tools::FileSessionOut;
  static constexpr auto fields =
      fields_of(field("session_id", &T::session_id, "Session."), field("session_name", &T::session_name, "Title."),
                field("platform", &T::platform, "Agent."), field("project", &T::project, "Project."),
                field("git_branch", &T::git_branch, "Its last branch."),
                field("pull_requests", &T::pull_requests, "The last pull requests it opened or was linked to."),
                field("exchanges", &T::exchanges, "Those that touched the file, newest first."));
};
template <>
struct Describe<tools::PathTotalOut> {
  using T = tools::PathTotalOut;
  static constexpr auto fields =
      fields_of(field("path", &T::path, "File."), field("exchanges", &T::exchanges, "Exchanges that touched it."),
                field("last", &T::last, "When last, RFC 3339."), field("lines_added", &T::lines_added, "By edits."),
                field("lines_removed", &T::lines_removed, "By edits."));
};
template <>
struct Describe<tools::CommitOut> {
  using T = tools::CommitOut;
  static constexpr auto fields = fields_of(
      field("sha", &T::sha, "As git showed it."), field("branch", &T::branch, "Branch."),
      field("subject", &T::subject, "First line of its message."), field("timestamp", &T::timestamp, "RFC 3339."),
      field("session_id", &T::session_id, "Session that made it, or its changes."),
      field("exchange_id", &T::exchange_id, "Exchange that made it."),
      field("pull_request", &T::pull_request, "The session's pull request that it is likely part of."),
      field("confidence", &T::confidence, "exact: git said so in the session; else high, medium or low."),
      field("evidence", &T::evidence, "What it is joined by."));
};
template <>
struct Describe<tools::FileHistoryAnswer> {
  using T = tools::FileHistoryAnswer;
  static constexpr auto fields =
      join_fields(Describe<tools::Answer>::head,
                  fields_of(field("commits", &T::commits, "Sessions the commit comes from, the likeliest first."),
                            field("files", &T::files, "Files meant, the last touched first."),
                            field("total_files", &T::total_files, "Files meant, also those not listed."),
                            field("total_exchanges", &T::total_exchanges, "On all pages."),
                            field("total_sessions", &T::total_sessions, "On all pages."),
                            field("sessions", &T::sessions, "Edits first, newest first; then those that only read.")),
                  Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
