#pragma once

#include "schemas/event.hpp"
#include "schemas/query.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {

// An event as its row has it.
struct StoredEvent {
  std::int64_t seq = 0;
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  EventKind kind{};
  Role role{};
  Origin origin{};
  std::optional<std::int64_t> parent_seq;  // of the event it was derived from
  std::string tool;
  std::uint64_t call_key = 0;  // 0: none
  std::uint64_t input_hash = 0;
  std::string path;  // first file; empty: none
  std::uint32_t flags = 0;
  std::string summary;
  std::int64_t tokens = 0;
  std::optional<std::size_t> source;  // index into StoredSession::sources; absent: it came without a place in a source
  RawRef raw;
};

// All that the store knows of a session, for its export. One snapshot.
struct StoredSession {
  std::int64_t pk = 0;
  SessionUpdate facts;
  std::vector<Source> sources;      // of its events: id, platform, path, format, state, session_uid
  std::vector<StoredEvent> events;  // in order
  std::unordered_map<std::uint64_t, TokenUsage> responses;  // counted for this session, by response key
};

}  // namespace memd
