#pragma once

#include "schemas/base/result.hpp"
#include "schemas/query.hpp"
#include "schemas/session_row.hpp"
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

namespace queries {

// Used by other queries. Returns the pk of the session that a SessionQuery with these arguments finds.
std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project);

}  // namespace queries
}  // namespace memd
