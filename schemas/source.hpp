#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

enum class SourceFormat : std::uint8_t { jsonl = 0, json = 1, sqlite = 2 };
std::string_view to_string(SourceFormat f);

enum class SourceState : std::uint8_t { active = 0, gone = 1, unreachable = 2, quarantined = 3 };
std::string_view to_string(SourceState s);

// Identity of a file, so that a cursor is never applied to the content of another file.
struct SourceIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t head_hash = 0;    // of the first head_length bytes
  std::uint32_t head_length = 0;  // at most kHeadBytes; smaller while the file is smaller
  bool operator==(const SourceIdentity&) const = default;
};
inline constexpr std::uint32_t kHeadBytes = 1024;

// Which file of which agent.
struct SourceName {
  Platform platform{};
  std::string path;  // absolute
  SourceFormat format = SourceFormat::jsonl;
  std::string session_uid;  // the session of this transcript, decided once by the adapter; empty: none or not yet
};

// A file that an adapter reads, and the position up to which it was read.
struct Source : SourceName {
  SourceId id = 0;  // 0: not stored yet
  SourceState state = SourceState::active;
  std::string state_reason;
  SourceIdentity identity;
  std::uint64_t size = 0;  // at the last read
  TimeMs mtime = 0;
  std::uint64_t cursor = 0;      // bytes accounted for
  std::uint32_t generation = 0;  // grows each time the file turned out truncated or replaced
  // Ledger line of the last record, if the record was read before its newline was written. The newline is added to this
  // line later. Values: open_tail in daemon/ingest/log_decoding.hpp.
  std::string open_tail;
  // Checksums of the bytes before the cursor, made by ReadProof (daemon/ingest/read_proof.hpp). Empty: not known.
  std::string proof;
  // Source changed in place: its state when it was last read to its end (SnapshotReader::Plan).
  std::string mark;
  std::uint32_t failures = 0;  // in a row
  TimeMs retry_at = 0;         // quarantined: not read before this time
};

// Location of the record of an event, to read it again. session_uid: the session of the event.
struct EventSource : SourceName {
  SourceState state = SourceState::active;
  SourceId source = 0;
  RawRef raw;
  std::string item_key;  // of a source that is changed in place: which item; `raw.offset` is its number
  bool is_gone = false;  // the source no longer has the record; `raw` is its place before
};

// Bits of source_items.flags. Append, never renumber.
inline constexpr unsigned kItemStartsExchange = 1;
inline constexpr unsigned kItemGone = 2;

// A record of a source that is changed in place (a row of a database, an element of a document), as stored. Items of
// a session are numbered from 1 in the order of the session; RawRef::offset of the events made from an item is its
// number. Number 0 is the session's head: a record about the session as a whole, which gives no events and may change
// at any time.
struct SourceItem {
  std::string key;            // native, unique within the session, the same for each version of the record
  std::uint64_t version = 0;  // differs when the content does (a hash of it)
  bool starts_exchange = false;
  bool gone = false;     // no longer in the source; its events stay
  CoverageEntry ledger;  // its line: one record, with the bytes it takes in the source
};

// Change of one session's items by a slice of a source that is changed in place. Deletes the items after the first
// `keep` with their events (with keep == 0, everything of the session that came from this source), then appends
// `added`. The first item after the kept ones starts an exchange, unless keep is 0.
struct SessionItems {
  std::string session_uid;
  std::uint32_t keep = 0;  // items that stay, the head not counted
  std::vector<SourceItem> added;
  // Numbers of kept items that are no longer in the source; 0: the head.
  std::vector<std::uint32_t> gone;
  bool has_head = false;
  SourceItem head;
};

// Form in which the raw layer keeps records (docs/store-format.md, "The raw layer").
enum class RawMode : std::uint8_t {
  off = 0,
  as_is = 1,
  masked = 2,  // secrets are masked in the records, before they are decoded
};
std::string_view to_string(RawMode mode);
std::optional<RawMode> parse_raw_mode(std::string_view text);

// The unit of writing: one source's events and its new cursor, committed together.
struct SourceSlice {
  Source source;  // with the cursor *after* these events
  EventBatch batch;
  std::string adapter_version;
  bool restart = false;    // the file was truncated or replaced: forget this source's ledger first
  bool caught_up = false;  // the source was read to its present end
  // Set for a source that is changed in place. The batch then holds the events of the head and of `items->added`. Its
  // coverage is empty, because the store derives the ledger from the items.
  std::optional<SessionItems> items;
  std::vector<CoverageEntry> rest;  // ledger lines set to these totals (see SnapshotReader::Plan)
  bool size_is_estimate = false;    // read to its end: size and cursor become the ledger's total
  // The records the slice was made from, for the raw layer: lines of a log, or one line an item, the head first (empty
  // for an item too large to be read).
  std::string raw;
  std::string raw_packed;             // `raw` as one zstd frame, if it was packed on the way; `raw` is then empty
  std::uint64_t raw_length = 0;       // bytes of `raw` before it was packed
  std::uint64_t raw_first = 0;        // of a log: where `raw` begins in the source
  std::uint64_t raw_passed_over = 0;  // of a log: bytes after `raw` that are not kept, of a record that is too large
  bool raw_passed_over_ends = false;  // that record ends with these bytes
};

// Step in the ingestion of a source. The names (to_string) are stored and shown: never rename.
enum class IngestionStep : std::uint8_t {
  found,        // seen for the first time
  read,         // read to its end for the first time
  appended,     // more was read; at most one entry per minute and source
  restarted,    // truncated or replaced: read anew
  gone,         // deleted; its events stay
  unreachable,  // its location cannot be accessed
  back,         // available again
  quarantined,  // fails repeatedly: retried with back-off
  released,     // can be read again
  unsupported,  // the platform's adapter speaks another contract: not read
  drift,        // the platform writes more records of unknown shape than it used to
};
std::string_view to_string(IngestionStep step);

inline constexpr TimeMs kIngestionLogRetention = 90 * kMsPerDay;

struct IngestionLogEntry {
  TimeMs time = 0;
  Platform platform{};
  std::string path;  // of the source; empty: the platform as a whole
  std::string what;
  std::string detail;  // in plain words; never contents
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
};

}  // namespace memd
