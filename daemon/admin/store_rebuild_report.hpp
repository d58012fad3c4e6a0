#pragma once

#include "daemon/ingest/rebuild_report.hpp"
#include "protocol/mcp/describe.hpp"

#include <cstdint>
#include <optional>
#include <string>

// Reports on rebuilding the whole store. Plain values; the JSON of commands is made of them.
namespace memd::admin {

struct RebuildAnswer : RebuildReport {
  double seconds = 0;
};

// The daemon's running rebuild, or its last one.
struct StoreRebuildStatus {
  std::string state;    // running | replaced | refused: the new store has less | failed
  std::string started;  // RFC 3339
  std::string ended;    // RFC 3339; empty: still running
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;  // bytes of records; 0: not known yet
  std::string error;
  std::optional<RebuildAnswer> result;
};
// Renders the status as a sentence without a full stop.
std::string rebuild_status_text(const StoreRebuildStatus& status);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::SessionLoss, field("session_id", &T::uid, ""), field<&T::exchanges>("How many it is about."),
              field<&T::events>("How many it is about."), field("missing", &T::is_missing, "All of it."),
              field("unreadable", &T::is_unreadable, "It cannot be read in the old store."));
MEMD_DESCRIBE(memd::admin::RebuildAnswer, field<&T::replaced>("The new store took the place of the old one."),
              plain<&T::files, &T::slices, &T::bytes, &T::events>(),
              field<&T::damaged_bytes>("That could not be read."),
              field<&T::damages>("The first of them, by file and place."),
              field<&T::unsupported>("Slices of platforms that this memd does not read."),
              field<&T::from_old>("Taken from the old store, because the original records lack something of them."),
              field<&T::lost>("What the new store lacks."),
              field<&T::old_damage>("Why the old store cannot be read; empty: it can."),
              field<&T::kept>("Where the old store is now; empty: there was none."), field<&T::seconds>());

MEMD_DESCRIBE(
    memd::admin::StoreRebuildStatus,
    field<&T::state>(
        "running; replaced: the new store took the place of the old one; refused: it has less, and the old one "
        "stays; failed: the old one stays."),
    field<&T::started>("RFC 3339."), field<&T::ended>("RFC 3339; empty: it runs."),
    field<&T::bytes_done>("Of records, read."),
    field<&T::bytes_total>("Of records, in the original records; 0: not known yet."),
    field<&T::error>("Why it failed; empty: it did not."),
    field<&T::result>("What came of it; absent: it runs, or failed."));
