#pragma once

#include "daemon/interchange/session_walk.hpp"
#include "daemon/interchange/transcript.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>

namespace memd {
class Reader;
}

namespace memd::interchange {

// Writes a session under the names of its contract (docs/events-format.md#session-and-sessionevent): a line with the
// Session, then a line for each SessionEvent in the order of `seq`. Reads rows only; their secrets are masked.
Result<ExportReport> export_session_contract(Reader& reader, std::int64_t session_pk, const WriteLine& line,
                                             AsOf as_of);

}  // namespace memd::interchange
