#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"
#include "schemas/file_history.hpp"

#include <string>
#include <vector>

namespace memd::tools {

struct FileHistoryParams : ScopeParams {
  std::optional<std::string> path;
  std::optional<std::string> lines;
  std::optional<std::string> symbol;
  std::string access = "any";
  std::optional<std::string> commit;
  std::optional<std::string> commit_time;
  std::optional<std::string> branch;
  std::vector<std::string> paths;
  std::optional<std::int64_t> n_results;
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

struct FileSessionOut : SessionRefOut {
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

MEMD_DESCRIBE(memd::tools::FileHistoryParams,
              field<&T::path>("Path, its end, a directory or a pattern (\"*.sql\").", length(0, 1000)),
              field<&T::lines>("Only edits of these lines: \"120-180\".", length(0, 40)),
              field<&T::symbol>("Only edits of lines with this text.", length(0, 200)),
              field<&T::access>(one_of("any", "modified", "read")),
              field<&T::commit>("Its id, 4 digits or more.", length(0, 40)),
              field<&T::commit_time>("With branch and paths: a commit that no session names.", length(0, 60)),
              field<&T::branch>(length(0, 300)), field<&T::paths>(max_items(100), length(1, 1000)),
              field<&T::n_results>(clamped(1, 100)), tools::kDirectoryFields, tools::kPlatformFields,
              tools::kTimeFields, tools::kPageFields);
MEMD_DESCRIBE(
    memd::tools::FileUseOut, field<&T::exchange_id>("For get_exchange."), field<&T::timestamp>("RFC 3339."),
    field<&T::access>("modified, read or referenced, the most of them."), field<&T::lines_added>("By edits."),
    field<&T::lines_removed>("By edits."), field<&T::files>("Which files, where several are meant."),
    field<&T::asked>("Beginning of what the person asked."), field<&T::said>("What the agent said of it."),
    field<&T::outcome>("Of a change: tests_passed, tests_failed or tests_unknown after it, else not_tested."),
    field<&T::test>(), field<&T::error>("Last error of a tool after it."),
    field<&T::committed_as>("The session's next commit after the change."),
    field<&T::lines>("Lines changed, numbered as the file was right after."),
    field<&T::match>(
        "placed: later edits all say where; estimated: some do not, numbers may be off; unplaced: not known where."),
    field<&T::change>("The lines themselves; cut where it ends in …"));
MEMD_DESCRIBE(memd::tools::FileSessionOut,
              plain<&T::session_id, &T::session_name, &T::platform, &T::project, &T::git_branch>(),
              field<&T::pull_requests>("The last pull requests it opened or was linked to."),
              field<&T::exchanges>("Those that touched the file, newest first."));
MEMD_DESCRIBE(memd::tools::PathTotalOut, field<&T::path>(), field<&T::exchanges>("Turns that touched it."),
              field<&T::last>("When last, RFC 3339."), field<&T::lines_added>("By edits."),
              field<&T::lines_removed>("By edits."));
MEMD_DESCRIBE(memd::tools::CommitOut, field<&T::sha>("As git showed it."), field<&T::branch>(),
              field<&T::subject>("First line of its message."), field<&T::timestamp>("RFC 3339."),
              field<&T::session_id>("Session that made it, or its changes."), field<&T::exchange_id>(),
              field<&T::pull_request>("The session's pull request that it is likely part of."),
              field<&T::confidence>("exact: git said so in the session; else high, medium or low."),
              field<&T::evidence>("What it is joined by."));
MEMD_DESCRIBE_ANSWER(memd::tools::FileHistoryAnswer,
                     field<&T::commits>("Sessions the commit comes from, the likeliest first."),
                     field<&T::files>("Files meant, the last touched first."),
                     field<&T::total_files>("Files meant, also those not listed."),
                     field<&T::total_exchanges>("On all pages."), field<&T::total_sessions>("On all pages."),
                     field<&T::sessions>("Edits first, newest first; then those that only read."));
