#pragma once

#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/session.hpp"
#include "schemas/session_row.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace memd {

// All stored data of a session, for its export. From one snapshot.
struct StoredSession {
  std::int64_t pk = 0;
  SessionUpdate facts;
  SessionRow row;
  std::optional<KeptDigest> digest;
  std::map<SourceId, Source> sources;            // of its events: id, platform, path, format, state, session_uid
  std::vector<EventRow> events;                  // in order
  std::map<std::int64_t, ToolFacts> tool_facts;  // of events, by seq
  std::unordered_map<std::uint64_t, RecordedResponse> responses;  // counted for this session, by their keys
};

}  // namespace memd
