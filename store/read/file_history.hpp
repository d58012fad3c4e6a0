#pragma once

#include "schemas/file_history.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memd {

// Resolves `text` to stored paths. Accepted forms: a whole path; a path suffix ("store/reader.cpp", "reader.cpp"); a
// directory or its suffix ("src/store", or "src/store/" to exclude files); a pattern with *, ? and [ ]. A pattern
// without '/' matches names ("*.sql"). A pattern with '/' matches path suffixes, and its '*' also matches '/'.
struct PathQuery {
  std::string_view text;

  using Answer = PathFinding;
  Answer run(sqlite::Database& db) const;
};

// Returns a page of the exchanges that touched the files, with details. Exchanges that changed a file come first,
// grouped by session and newest first. The others follow.
struct FileHistoryQuery {
  QueryFilter filter;                // since and until apply to the start of the exchange
  std::vector<std::int64_t> paths;   // pks; empty: every path (of a session)
  std::optional<FileAccess> access;  // restricts the kind of access
  // Exchange range of one session, both ends included.
  std::int64_t session_pk = 0;  // 0: all
  std::int64_t first_exchange = 0;
  std::int64_t last_exchange = 0;
  std::vector<ExchangeId> exchanges;  // only these; empty: all
  int limit = 20;                     // exchanges
  int offset = 0;

  using Answer = FileHistory;
  Answer run(sqlite::Database& db) const;
};

// Returns the newest `limit` edits of a file among the exchanges that `touches` finds, oldest first. Ignores paging.
struct EditPlacesQuery {
  FileHistoryQuery touches;
  int limit = 0;

  using Answer = EditPlaces;
  Answer run(sqlite::Database& db) const;
};

namespace queries {

// Returns the part of a path below a project's directory, or below a worktree inside that directory; empty: it is not
// below it.
std::string_view below_project(std::string_view path, std::string_view identity_key);

}  // namespace queries
}  // namespace memd
