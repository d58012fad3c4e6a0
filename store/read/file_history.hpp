#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memd {

// The stored paths that `text` means: a whole path; the end of one ("store/reader.cpp", "reader.cpp"); a directory,
// whole or its end ("src/store", or "src/store/" to say that no file is meant); a pattern with *, ? and [ ], of names
// when it has no '/' ("*.sql"), else of the end of paths, where '*' stands for anything.
struct PathQuery {
  std::string_view text;

  using Answer = PathFinding;
  Answer run(sqlite::Database& db) const;
};

// Exchanges that touched the files, a page of them with what is known of each: first those that changed one, by session
// and newest first, then the others.
struct FileHistoryQuery {
  QueryFilter filter;                // since and until: when the exchange began
  std::vector<std::int64_t> paths;   // pks; empty: every path (of a session)
  std::optional<FileAccess> access;  // only this
  // Of one session: its exchanges from first to last, both included.
  std::int64_t session_pk = 0;  // 0: all
  std::int64_t first_exchange = 0;
  std::int64_t last_exchange = 0;
  std::vector<ExchangeId> exchanges;  // only these; empty: all
  int limit = 20;                     // exchanges
  int offset = 0;

  using Answer = FileHistory;
  Answer run(sqlite::Database& db) const;
};

// The newest `limit` edits of a file among the exchanges that `touches` finds, oldest first. Paging does not apply.
struct EditPlacesQuery {
  FileHistoryQuery touches;
  int limit = 0;

  using Answer = EditPlaces;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
