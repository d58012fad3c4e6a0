#pragma once

#include "daemon/ingest/record_finder.hpp"
#include "schemas/error.hpp"
#include "store/reader.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace memd::interchange {

struct ExportReport {
  std::int64_t events = 0;   // with those below
  std::int64_t derived = 0;  // concluded by memd; an import leaves them out and makes them again
  std::int64_t partial = 0;  // their records are gone: as far as the store kept them
};

struct ExportSink {
  std::function<Result<void>(std::string_view line)> line;  // without newline
  std::function<void(double done, double total)> progress;  // bytes of records; may be empty
};

// Writes a session as events.v1: a line of facts about it, then every event in order. Full texts come from the records
// the events were made from; where one is gone, what the store has goes out, marked
// partial. Secrets are masked. Reads only.
Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                    const ExportSink& sink);

}  // namespace memd::interchange
