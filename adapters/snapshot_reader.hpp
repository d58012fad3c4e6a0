#pragma once

#include "schemas/coverage.hpp"
#include "schemas/error.hpp"
#include "schemas/source_item.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Reads a source that is changed in place: a database, a document, a tree of small files. It shows each session as an
// ordered list of items; what is new in a session is found by comparing with the items the store remembers, in one
// place for all platforms (daemon/ingest). One thread at a time. Made for each slice and gone after it, so that no
// lock, no open transaction and no file handle outlives it.
//
// Errors: Errc::busy when the agent is in the middle of a write (a truncated document, SQLITE_BUSY): nothing is wrong,
// the next hint will tell. Errc::not_found when the source is gone. Bad content is never an error but an item whose
// decoding gives a diagnostic and a ledger line.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  struct Plan {
    std::string mark;        // the state that was looked at; kept by the store when all is read
    bool unchanged = false;  // `mark` is the one given: nothing to read
    // Native keys of the sessions that may have changed, the oldest change first: the native ids of their uids.
    std::vector<std::string> sessions;
    // The ledger of all that is no item (other rows, brackets, side files): totals, under record types that no item
    // has. Lines that are not named stay as they were; a kind that is there no more is named with 0 records and bytes.
    std::vector<CoverageEntry> rest;
    std::uint64_t size = 0;  // bytes of the source: files as they are; rows counted by key and value
  };
  // What to look at since `mark`; everything when it is empty or cannot be understood. Must be cheap when little
  // changed.
  virtual Result<Plan> plan(const std::string& mark) = 0;

  struct Item {
    std::string key;
    // Differs when the content does. 0: not looked at, because it cannot have changed if the store knows it.
    std::uint64_t version = 0;
    std::uint64_t ledger_bytes = 0;  // what the item takes in the source; may be 0 while version is 0
  };
  struct Session {
    std::string session_uid;
    std::optional<Item> head;  // the record about the session as a whole
    std::vector<Item> items;   // in the order of the session
  };
  // A session as it is now; nullopt when it is not there (any more). `known`: its items in the store, in order, the
  // head not among them.
  virtual Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) = 0;

  // The bytes of an item as the adapter's RecordDecoder wants them: a JSON object in one line. They are also what the
  // raw layer keeps. Errc::not_found when it vanished meanwhile. Asked of a fresh reader too.
  virtual Result<std::string> item(const std::string& session_key, const std::string& item_key) = 0;
};

}  // namespace memd
