#pragma once

#include "schemas/error.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The file system as adapters see it, for reading only. Tests put a failing or a changing one in its place.
// Thread-safe.
class FileView {
 public:
  struct Entry {
    std::string path;  // absolute
    bool is_directory = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;  // bytes
    TimeMs mtime = 0;
    std::int64_t mtime_ns = 0;  // tells two writes within a millisecond apart
  };
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  virtual ~FileView() = default;
  virtual std::optional<Entry> stat(const std::string& path) const = 0;
  // Up to `length` bytes from `offset`. Errc::not_found, Errc::io, Errc::permission.
  virtual Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                                   std::uint64_t length = kAll) const = 0;
  virtual std::vector<Entry> list(const std::string& directory) const = 0;  // by name; empty if it is not there
};

// Reads a source that is changed in place: a database, a document, a tree of small files. Shows each session as an
// ordered list of items. Ingest finds what is new by comparing them with the items the store remembers, the same for
// all platforms. One thread at a time. A reader lives for one slice, so that no lock, transaction or file handle
// outlives the slice.
//
// Errors: Errc::busy while the agent is writing (a truncated document, SQLITE_BUSY); the next hint brings another try.
// Errc::not_found when the source is gone. Bad content is no error: its item is decoded to a diagnostic and a ledger
// line.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  struct Plan {
    std::string mark;        // names the state that was looked at; the store keeps it when all is read
    bool unchanged = false;  // `mark` is the one given: there is nothing to read
    // Changes that leave no trace may be missing. A look without a mark finds them; it is made when there is time.
    bool unsure = false;
    // `sessions` are all that are there, by their native ids: of others, what the store has is gone.
    bool complete = false;
    // Native ids of the sessions that may have changed, the oldest change first.
    std::vector<std::string> sessions;
    // Totals of all that is no item (other rows, brackets, side files), under record types that no item has. A line
    // that is not named stays as it was. A kind that has gone is named with 0 records and bytes.
    std::vector<CoverageEntry> rest;
    std::uint64_t size = 0;  // bytes of the source: files as they are; rows counted by key and value
    // The source is written to while it is read: `size` is an estimate. When all is read it is what the ledger has.
    bool sized_by_ledger = false;
  };
  // Tells what may have changed since `mark`: everything when it is empty or unknown. Cheap when little changed.
  virtual Result<Plan> plan(const std::string& mark) = 0;

  struct Item {
    std::string key;
    // Differs when the content differs. 0: not looked at; it has not changed if the store knows the item.
    std::uint64_t version = 0;
    std::uint64_t ledger_bytes = 0;  // what the item takes in the source; may be 0 while version is 0
  };
  struct Session {
    std::string session_uid;
    std::optional<Item> head;  // the record about the session as a whole
    std::vector<Item> items;   // in the order of the session
    // The store has it from another, poorer telling (a derived file). What is not among `items` is in them under
    // another key, and goes.
    bool told_anew = false;
  };
  // A session as it is now. nullopt when it is not there. `known`: its items in the store, in order, without the head.
  virtual Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) = 0;

  // The bytes of an item for the adapter's RecordDecoder: a JSON object in one line. The raw layer keeps the same
  // bytes. Works without plan() or session() before. Errc::not_found when the item vanished meanwhile.
  virtual Result<std::string> item(const std::string& session_key, const std::string& item_key) = 0;
};

}  // namespace memd
