#pragma once

#include "daemon/ingest/record_finder.hpp"
#include "store/harvest/material.hpp"

namespace memd {

class Reader;

// Gives the events of a session that another program wrote as events.v1 the ids that they have in its log, as `memd
// export` writes them; an event that memd concluded gets those of the line that it was concluded from. Other events,
// and those whose line is gone, keep memd's ids. Thread-safe.
void name_as_in_log(Reader& reader, RecordFinder& records, harvest::Material& material);

}  // namespace memd
