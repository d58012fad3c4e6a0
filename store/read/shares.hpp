#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/share.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Lists the shares by project and place.
struct SharesQuery {
  using Answer = std::vector<ShareRow>;
  Answer run(sqlite::Database& db) const;
};

// Lists the own sessions of a share, also those that are out.
struct SharedSessionsQuery {
  std::int64_t share_pk = 0;

  using Answer = std::vector<SharedSessionRow>;
  Answer run(sqlite::Database& db) const;
};

// Lists the segments of a share that this machine has written or read, in the order in which it did.
struct SharedSegmentsQuery {
  std::int64_t share_pk = 0;

  using Answer = std::vector<SharedSegmentRow>;
  Answer run(sqlite::Database& db) const;
};

// Lists the sessions of this machine, with events in the share's project, whose rows have changed since they were
// written to the share. Of what came through a share that was left, the store may not know that any more.
struct ChangedSharedSessionsQuery {
  std::int64_t share_pk = 0;
  std::string_view machine;  // this one
  std::string_view project_key;

  struct Row {
    std::int64_t session_pk = 0;
    std::string session_uid;
    std::int64_t next_seq = 0;
    TimeMs ingested_at = 0;
    std::int64_t from_seq = 0;     // the first one that the segments lack
    std::uint64_t last_event = 0;  // of the session
    std::string commit;            // the newest one that was made in it; empty: none is known
    bool is_of_machine = false;    // an agent's own storage has it here, or segments by this machine
  };
  using Answer = std::vector<Row>;
  Answer run(sqlite::Database& db) const;
};

// Lists the keys of the projects of a name in which agents of this machine have worked and that belong to no other one.
struct OwnProjectsQuery {
  std::string_view name;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Lists the sessions that came from other machines, of these uids.
struct SharedByOthersQuery {
  const std::vector<std::string>& session_uids;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

namespace queries {

// Condition over `sessions s`: an agent's own storage has it here.
inline constexpr std::string_view kIsOfThisMachine =
    "(EXISTS (SELECT 1 FROM sources o WHERE o.session_uid = s.uid)"
    " OR EXISTS (SELECT 1 FROM source_items i WHERE i.session_uid = s.uid))";

}  // namespace queries
}  // namespace memd
