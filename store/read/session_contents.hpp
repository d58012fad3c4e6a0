#pragma once

#include "schemas/base/result.hpp"
#include "schemas/platform.hpp"
#include "schemas/session_digest.hpp"
#include "schemas/source.hpp"
#include "schemas/stored_session.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {

// Loads the input of a summary: the exchanges with first ≤ number ≤ last, and their events.
struct SessionDigestQuery {
  std::int64_t session_pk = 0;
  std::int64_t first_number = 0;
  std::int64_t last_number = 0;

  using Answer = SessionDigest;
  Answer run(sqlite::Database& db) const;
};

// Loads the stored digest of a session; nullopt until it is analysed.
struct KeptDigestQuery {
  std::int64_t session_pk = 0;

  using Answer = std::optional<KeptDigest>;
  Answer run(sqlite::Database& db) const;
};

// Loads all rows of one session for export. Errc::not_found when the session does not exist.
struct StoredSessionQuery {
  std::int64_t session_pk = 0;

  using Answer = StoredSession;
  Answer run(sqlite::Database& db) const;
  static Error without_store();
};

// Loads the stored items of a session in a source that is changed in place: items by number, the head separately. No
// items when none are stored.
struct SessionItemsQuery {
  Platform platform{};
  std::string_view source_path;
  std::string_view session_uid;

  using Answer = SessionItems;
  Answer run(sqlite::Database& db) const;
};

// Lists the uids of sessions whose items the store has from a source changed in place, and that the source still
// contains.
struct ItemSessionsQuery {
  Platform platform{};
  std::string_view source_path;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Lists the directories of all sessions, and the sessions with an item that the ledger skips for `reason`.
struct CapturedSessionsQuery {
  std::string_view reason;

  struct Answer {
    std::vector<std::pair<std::string, std::string>> directories;  // session uid, directory
    std::vector<std::string> skipped;                              // session uids
  };
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
