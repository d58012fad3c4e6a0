#pragma once

#include "daemon/ingest/record_finder.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <string>

namespace memd {

// Returns the record from which an event was decoded, whole, with secrets masked and kRecordPadding readable bytes
// behind it: from the agent's file, else from the raw layer. Decodes each candidate, so that what another record left
// in its place is not taken for it. Errc::not_found. Thread-safe. `walk`: as for RecordFinder::find().
Result<std::string> record_of_event(RecordFinder& records, const EventSource& where, std::uint64_t event_id,
                                    ItemWalk* walk = nullptr);

}  // namespace memd
