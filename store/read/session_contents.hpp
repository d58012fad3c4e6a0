#pragma once

#include "schemas/platform.hpp"
#include "schemas/session_digest.hpp"
#include "schemas/source.hpp"
#include "schemas/stored_session.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {

// What a summary is made from: the exchanges with first ≤ number ≤ last, and what happened in them.
struct SessionDigestQuery {
  std::int64_t session_pk = 0;
  std::int64_t first_number = 0;
  std::int64_t last_number = 0;

  using Answer = SessionDigest;
  Answer run(sqlite::Database& db) const;
};

// What is kept of a session; nothing until it is analysed.
struct KeptDigestQuery {
  std::int64_t session_pk = 0;

  using Answer = std::optional<KeptDigest>;
  Answer run(sqlite::Database& db) const;
};

// Everything about one session, for its export. not_found when there is no such row.
struct StoredSessionQuery {
  std::int64_t session_pk = 0;

  using Answer = StoredSession;
  Answer run(sqlite::Database& db) const;
  static Error without_store() { return Error(Errc::not_found, "there is no such session"); }
};

// What the store remembers of a session in a source that is changed in place: the items by number, the head apart.
// Nothing is remembered: no items.
struct SessionItemsQuery {
  Platform platform{};
  std::string_view source_path;
  std::string_view session_uid;

  using Answer = SessionItems;
  Answer run(sqlite::Database& db) const;
};

// The sessions, by uid, that the store has items of from a source that is changed in place and still shows them.
struct ItemSessionsQuery {
  Platform platform{};
  std::string_view source_path;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
