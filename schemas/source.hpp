#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"
#include "schemas/source_item.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

enum class SourceFormat : std::uint8_t { jsonl = 0, json = 1, sqlite = 2 };
std::string_view to_string(SourceFormat f);

enum class SourceState : std::uint8_t { active = 0, gone = 1, unreachable = 2, quarantined = 3 };
std::string_view to_string(SourceState s);

using SourceId = std::int64_t;  // row of the sources table

// Which file this is, so that a cursor is never applied to other bytes.
struct SourceIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t head_hash = 0;    // of the first head_length bytes
  std::uint32_t head_length = 0;  // at most kHeadBytes; smaller while the file is smaller
  bool operator==(const SourceIdentity&) const = default;
};
inline constexpr std::uint32_t kHeadBytes = 1024;

// A file some adapter reads, and how far.
struct Source {
  SourceId id = 0;  // 0: not stored yet
  Platform platform{};
  std::string path;  // absolute
  SourceFormat format = SourceFormat::jsonl;
  SourceState state = SourceState::active;
  std::string state_reason;
  SourceIdentity identity;
  std::uint64_t size = 0;  // at the last read
  TimeMs mtime = 0;
  std::uint64_t cursor = 0;      // bytes accounted for
  std::uint32_t generation = 0;  // grows each time the file turned out truncated or replaced
  // The last record was taken without its newline; when that comes it belongs to this ledger line.
  std::string open_tail;
  std::string session_uid;  // whose transcript this is, decided once by the adapter; empty: none or not yet
  // For a source that is changed in place: the state it was in when it was last read to its end (SnapshotReader::Plan).
  std::string mark;
  std::uint32_t failures = 0;  // in a row
  TimeMs retry_at = 0;         // quarantined: not looked at before
};

// The unit of writing: one source's events and its new cursor, committed together.
struct SourceSlice {
  Source source;  // with the cursor *after* these events
  EventBatch batch;
  std::string adapter_version;
  bool restart = false;  // the file was truncated or replaced: forget this source's ledger first
  // Of a source that is changed in place; the batch then holds the events of `items->added` and of the head, and its
  // coverage is left empty: the store keeps that ledger from the items.
  std::optional<SessionItems> items;
  std::vector<CoverageEntry> rest;  // ledger lines set to these totals (see SnapshotReader::Plan)
  // The records the slice was made from, for the raw layer: lines of a log, or one line an item, the head first (empty
  // for an item too large to be read).
  std::string raw;
};

}  // namespace memd
