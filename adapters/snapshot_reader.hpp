#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd {

// Read-only file system interface of the adapters. Tests replace it by a failing or changing one. Thread-safe.
class FileView {
 public:
  struct Entry {
    std::string path;  // absolute
    bool is_directory = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;  // bytes
    TimeMs mtime = 0;
    std::int64_t mtime_ns = 0;  // distinguishes two writes within one millisecond
  };
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  virtual ~FileView() = default;
  virtual std::optional<Entry> stat(const std::string& path) const = 0;
  // Reads up to `length` bytes from `offset`. Errc::not_found, Errc::io, Errc::permission.
  virtual Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                                   std::uint64_t length = kAll) const = 0;
  // Sorted by name. Empty if the directory does not exist or may not be listed. Throws ErrorException if the failure
  // may pass (Errc::exhausted, Errc::io).
  virtual std::vector<Entry> list(const std::string& directory) const = 0;
};

// Reads a source that is changed in place: a database, a document, a tree of small files. Presents each session as an
// ordered list of items. Ingest compares them with the stored items to find changes, by the same algorithm for all
// platforms. One thread at a time. A reader lives for one slice, so no lock, transaction or file handle outlives the
// slice.
//
// Errors: Errc::busy while the agent is writing (a truncated document, SQLITE_BUSY); the next hint triggers another
// attempt. Errc::not_found when the source is gone. Bad content is no error: its item decodes to a diagnostic and a
// ledger entry.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  struct Plan {
    std::string mark;        // identifies the state that was read; stored once all of it is ingested
    bool unchanged = false;  // `mark` equals the given one: nothing to read
    // Untraceable changes may be missing. A full pass, with an empty mark, finds them later when there is time.
    bool unsure = false;
    // `sessions` lists the native ids of all sessions in the source. Stored sessions that are not listed are gone.
    bool complete = false;
    // Native ids of the sessions that may have changed, oldest change first.
    std::vector<std::string> sessions;
    // Totals of everything that is no item (other rows, brackets, side files), under record types that no item has. An
    // entry not listed keeps its stored value. A type that disappeared is listed with 0 records and bytes.
    std::vector<CoverageEntry> rest;
    std::uint64_t size = 0;  // bytes of the source: file sizes; for rows, key and value
    // The source is being written, so `size` is an estimate. After the pass the size is the ledger's total.
    bool size_is_estimate = false;
  };
  // Determines what may have changed since `mark`; everything if `mark` is empty or unknown. Cheap when little changed.
  virtual Result<Plan> plan(const std::string& mark) = 0;

  struct Item {
    std::string key;
    // Differs when the content differs. 0: not read; a stored item is then unchanged.
    std::uint64_t version = 0;
    std::uint64_t ledger_bytes = 0;  // the item's bytes in the source; may be 0 while version is 0
  };
  struct Session {
    std::string session_uid;
    std::optional<Item> head;  // the record about the whole session
    std::vector<Item> items;   // in session order
    // The store has this session from a poorer source (a derived file). Stored items missing from `items` occur there
    // under other keys and are removed.
    bool replaces_poorer_source = false;
  };
  // Returns the current state of a session; nullopt when it is gone. `known`: its stored items in order, without the
  // head.
  virtual Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) = 0;

  // Returns an item's bytes for the adapter's RecordDecoder: a JSON object on one line. The raw layer keeps the same
  // bytes. Works without a previous plan() or session(). Errc::not_found when the item disappeared meanwhile.
  virtual Result<std::string> item(const std::string& session_key, const std::string& item_key) = 0;
};

}  // namespace memd
