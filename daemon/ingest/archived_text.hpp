#pragma once

#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/query.hpp"
#include "store/raw/raw_archive.hpp"

#include <string>

namespace memd {

// The full text of an event out of the raw layer, as read_event_text() gives it out of the agent's file. Masked if the
// raw layer is. Thread-safe.
Result<std::string> read_archived_text(raw::RawArchive& archive, const EventSource& where, EventKind kind);

}  // namespace memd
