#pragma once

#include "daemon/interchange/session_walk.hpp"

#include <functional>
#include <string_view>

namespace memd::interchange {

struct ExportSink {
  std::function<Result<void>(std::string_view line)> line;  // without newline
  WalkProgress progress;
};

// Writes a session as events.v1: a line of facts about it, then every event in order.
Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                    const ExportSink& sink);

}  // namespace memd::interchange
