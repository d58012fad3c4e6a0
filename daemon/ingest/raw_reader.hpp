#pragma once

#include "adapters/adapter.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/source.hpp"

#include <string>

namespace memd {

// Fetches the full text of an event from the agent's own file, where it stands unless the agent purged or rewrote it.
// Stateless, thread-safe.
//   `source_path`  file the event was read from
//   `platform`     whose adapter understands it
// Errc::not_found when the file is gone or holds something else at that place now.
Result<std::string> read_event_text(Platform platform, const std::string& source_path, EventKind kind,
                                    const RawRef& raw);

// The record that events were made from, as the adapter's decoder takes it: raw.length bytes, and kRecordPadding more
// behind them. Errors as above; that the bytes are still the same record shows only when they are decoded.
Result<std::string> read_record(const Source& source, const RawRef& raw);

}  // namespace memd
