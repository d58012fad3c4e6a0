#pragma once

#include "schemas/base/result.hpp"
#include "schemas/query.hpp"
#include "schemas/session_row.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Selects sessions that are in `state` at `now`, with this outcome.
struct StateFilter {
  SessionState state{};
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
  std::optional<Outcome> outcome{};
};

// Returns a page of the sessions with words that match the filter, sorted by their last event, newest first.
struct SessionListQuery {
  QueryFilter filter;  // include_subagents false: main sessions only
  int limit = 20;
  int offset = 0;
  std::optional<StateFilter> state{};
  bool placeholders = false;  // also sessions without words of their own (queries::kHasWords)

  using Answer = SessionList;
  Answer run(sqlite::Database& db) const;
};

// Finds the sessions that match what a person has typed: uid or native id begins with it, or the title contains it,
// whatever its case. Newest first, as SessionListQuery. Empty text matches all. Reads the first prompts of each session
// without an informative stored title, unless its id matches. Skips placeholders, as SessionListQuery.
struct TypedSessionsQuery {
  QueryFilter filter;  // as SessionListQuery::filter; its time range is ignored
  std::string_view typed;
  int limit = 20;

  struct Found {
    std::vector<std::string> uids;
    std::int64_t total = 0;  // of all matches, with those beyond the limit
  };
  using Answer = Found;
  Answer run(sqlite::Database& db) const;
};

// Finds the names of the projects that match what a person has typed: name or path contains it, whatever its case.
// Those with the newest sessions first. Empty text matches all.
struct TypedProjectsQuery {
  QueryFilter filter;  // of their sessions, as SessionListQuery::filter; its time range is ignored
  std::string_view typed;
  int limit = 20;

  struct Found {
    std::vector<std::string> names;
    std::int64_t total = 0;  // of all matches, with those beyond the limit
  };
  using Answer = Found;
  Answer run(sqlite::Database& db) const;
};

// Resolves a session reference: its uid, its native id, a unique prefix of the native id (at least 4 characters), with
// or without the beginning of its platform in front (c:17b6b665), or "latest" or "last" (the newest main session with
// words, of `project` if given). The messages of not_found and invalid_argument list the candidates.
struct SessionQuery {
  std::string_view reference;
  std::string_view project{};

  using Answer = SessionRow;
  Answer run(sqlite::Database& db) const;
  static Error without_store();
};

// Lists the subagents and workflow agents of a session, in order of start.
struct SubagentsQuery {
  std::string_view session_uid;

  using Answer = std::vector<SessionRow>;
  Answer run(sqlite::Database& db) const;
};

// Lists the names of the projects with the newest main sessions with words, newest first.
struct RecentProjectsQuery {
  int limit = 5;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Returns the message for a project filter that matches nothing: "no project has …", with the names of the newest
// projects. Empty when a project has `part` in its path or name, when `part` is empty, and when there are no projects.
struct UnknownProjectQuery {
  std::string_view part;

  using Answer = std::string;
  Answer run(sqlite::Database& db) const;
};

// Finds the nearest directory, `directory` or one above it, that is the project of a main session with words. Does not
// access the file system.
struct NearestProjectQuery {
  std::string_view directory;
  bool or_below = false;  // also accepts `directory` when a directory below it is the project of a session

  struct Found {
    std::string directory;
    std::string key;  // the project's identity key, or that of the project it is joined to
  };
  using Answer = std::optional<Found>;
  Answer run(sqlite::Database& db) const;
};

// Used by other queries. Functions throw ErrorException. Connection thread.
namespace queries {

// Loads one session. Errc::not_found when there is no such row.
SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk);
// SessionRow::source_path and source_bytes of a session, which is much less work than its row.
struct SessionSource {
  std::string path;
  std::int64_t bytes = 0;
};
SessionSource source_of_session(sqlite::Database& db, std::int64_t session_pk);
// When a session ended. 0: it goes on, or no time of it is known.
inline TimeMs end_time(const SessionRow& s, TimeMs now, TimeMs stopped_after) {
  return s.ended_at == 0 && s.life.stopped_at == 0 ? 0 : s.life.ended_at(now, stopped_after);
}
// Computes Cost::wall_clock from the rows of a session; nullopt without exchanges that have a time.
std::optional<TimeMs> work_time(sqlite::Database& db, std::int64_t session_pk);
// Returns the pk of the session that a SessionQuery with these arguments finds.
std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project);

// SQL expression over `sessions s` for SessionLife::silent_since.
inline constexpr std::string_view kSilentSince =
    "CASE WHEN s.ended_at BETWEEN 1 AND s.ingested_at THEN s.ended_at"
    " WHEN s.ended_at = 0 AND s.next_seq = 0 AND s.turns = 0 THEN 0 ELSE min(s.ingested_at, coalesce("
    "(SELECT nullif(f.mtime, 0) FROM sources f WHERE f.source_pk = s.source_pk), s.ingested_at)) END";

// Columns of `sessions s`, and what reads them from `column` on.
inline constexpr std::string_view kAttributeColumns =
    "s.kind, s.parent_uid, s.parent_call_id, s.forked_from, s.agent_name, s.title, s.title_rank, s.description, s.cwd, "
    "s.git_branch, s.model,"
    " s.agent_version, s.mode, s.repo, s.started_at, s.ended_at, s.context_tokens, s.lines_added, s.lines_removed,"
    " s.cost_usd";
void read_attributes(const sqlite::Statement& row, int column, SessionAttributes& out);

// Two columns over `sessions s`, as session_title() takes them. The first is the stored title. The second is filled
// where the title is short: the starts of the first four prompts, separated by char(30), then char(29) and the result
// stored by the analysis. At its end char(28) and who shared the session, if it came from another machine.
inline constexpr auto kTitleColumns = sql_text(R"(
  s.title,
  CASE WHEN length(s.title) > 48 THEN '' ELSE coalesce(
    (SELECT group_concat(begin, char(30)) FROM
       (SELECT substr(t.user_message, 1, 1000) AS begin FROM exchanges t
        WHERE t.session_pk = s.session_pk AND t.user_message <> '' AND t.origin <> Origin::injected
        ORDER BY t.exchange_number LIMIT 4))
    || char(29) || coalesce((SELECT d.result FROM session_digests d WHERE d.session_pk = s.session_pk), ''), '') END
    || iif(s.shared_by = '', '', char(28) || s.shared_by))");

// Columns that read_head reads after the title columns. The project is kProjectOfSession's.
inline constexpr std::string_view kSessionHeadColumns = ", s.session_pk, s.uid, s.platform, coalesce(p.name, '')";
inline constexpr std::string_view kProjectOfSession = " LEFT JOIN projects p ON p.project_pk = s.project_pk ";
// Reads columns 0 to 5.
void read_head(const sqlite::Statement& q, SessionHead& head);

// Returns a title of at most 80 characters. Candidates in order: the stored title if it is informative; the first line
// of an informative prompt; the session's result; whatever there is. Not informative are prompts without two telling
// words, commands without arguments, and texts of clients and templates (store/text/words/titles.words). A slash
// command, recorded as tags by clients, is shown as typed: "/compact keep the API". Who shared the session stands in
// front: "ada@laptop: …". `told`: the second column of kTitleColumns.
std::string session_title(std::string_view stored, std::string_view told);

}  // namespace queries
}  // namespace memd
