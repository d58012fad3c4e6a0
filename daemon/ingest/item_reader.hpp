#pragma once

#include "adapters/adapter.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/query.hpp"

#include <string>

namespace memd {

// The item an event of a source that is changed in place was made from, as it is there now, with kRecordPadding bytes
// behind it. Stateless, thread-safe. Errors as below.
Result<std::string> read_item(const Adapter& adapter, const EventSource& where);

// Fetches the full text of an event from a source that is changed in place: of its item as it is there now, which may
// be newer than what was indexed. Stateless, thread-safe. Errc::not_found when the source does not show the item any
// more, Errc::busy when somebody is writing it.
Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind);

}  // namespace memd
