#pragma once

#include "schemas/query.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Sessions that are in a state at a time.
struct StateFilter {
  SessionState state{};
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
};

// Sessions that a filter lets through, a page of them, newest first by their last event.
struct SessionListQuery {
  QueryFilter filter;  // include_subagents false: main sessions only
  int limit = 20;
  int offset = 0;
  std::optional<StateFilter> state{};

  using Answer = SessionList;
  Answer run(sqlite::Database& db) const;
};

// One session by what a caller calls it: its uid, its native id, a prefix of the native id (4 characters or more) that
// fits one session, or "latest" (the newest main session; of `project` when that is given). not_found and
// invalid_argument list the candidates.
struct SessionQuery {
  std::string_view reference;
  std::string_view project{};

  using Answer = SessionRow;
  Answer run(sqlite::Database& db) const;
  static Error without_store() { return Error(Errc::not_found, "there is no session yet: nothing has been read"); }
};

// Subagents and workflow agents of a session, in the order they started.
struct SubagentsQuery {
  std::string_view session_uid;

  using Answer = std::vector<SessionRow>;
  Answer run(sqlite::Database& db) const;
};

// The projects with the newest main sessions, by name, newest first.
struct RecentProjectsQuery {
  int limit = 5;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// What to tell a caller when no project has `part` in its path or name: "no project has …", with the names of the
// newest ones. Empty when there is such a project, when `part` is empty, and when there are no projects.
struct UnknownProjectQuery {
  std::string_view part;

  using Answer = std::string;
  Answer run(sqlite::Database& db) const;
};

// The nearest directory, at `directory` or above it, that is the project of a main session. The file system is not
// looked at.
struct NearestProjectQuery {
  std::string_view directory;
  bool or_below = false;  // `directory` counts, too, when a directory below it is the project of a session

  struct Found {
    std::string directory;
    std::string key;  // its identity key
  };
  using Answer = std::optional<Found>;
  Answer run(sqlite::Database& db) const;
};

// For other queries. Functions throw ErrorException.
namespace queries {

// Errc::not_found when there is no such row.
SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk);
// The session that a SessionQuery with these words finds.
std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project);

// A column over `sessions s`: SessionLife::silent_since.
inline constexpr std::string_view kSilentSince =
    "iif(s.ended_at BETWEEN 1 AND s.ingested_at, s.ended_at, s.ingested_at)";

// Two columns over `sessions s`, as session_title() takes them: the stored title, and where that is short the starts of
// the first four prompts with char(30) between them, and behind char(29) the result that the analysis kept.
inline constexpr auto kTitleColumns = sql_text(R"(
  s.title,
  CASE WHEN length(s.title) > 48 THEN NULL ELSE
    (SELECT group_concat(begin, char(30)) FROM
       (SELECT substr(t.user_message, 1, 1000) AS begin FROM exchanges t
        WHERE t.session_pk = s.session_pk AND t.user_message <> '' AND t.origin <> Origin::injected
        ORDER BY t.exchange_number LIMIT 4))
    || char(29) || coalesce((SELECT d.result FROM session_digests d WHERE d.session_pk = s.session_pk), '') END)");

// What read_head takes, behind the columns of the title. The project is kProjectOfSession's.
inline constexpr std::string_view kSessionHeadColumns = ", s.session_pk, s.uid, s.platform, coalesce(p.name, '')";
inline constexpr std::string_view kProjectOfSession = " LEFT JOIN projects p ON p.project_pk = s.project_pk ";
// From columns 0 to 5.
void read_head(const sqlite::Statement& q, SessionHead& head);

// The stored title if it tells something, else the first line of a prompt that does (not one of a word or two, a
// command without arguments, or what clients and templates write: store/text/words/titles.words), else what came of the
// session, else what there is; at most 80 characters. A slash command, which clients record as tags, is shown as it was
// typed:
// "/compact keep the API". `told`: the second column.
std::string session_title(std::string_view stored, std::string_view told);

}  // namespace queries
}  // namespace memd
