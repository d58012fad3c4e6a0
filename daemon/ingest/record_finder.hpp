#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/result.hpp"
#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/source.hpp"
#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/raw_archive.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace memd {

// Reads the full text of an event from the agent's own file. The agent may have purged or rewritten it. Stateless,
// thread-safe.
//   `source_path`  file the event was read from
//   `platform`     whose adapter understands it
// Errc::not_found when the file is gone or holds something else at that place now.
Result<std::string> read_event_text(Platform platform, const std::string& source_path, EventKind kind,
                                    const RawRef& raw);

// The error for a record that the agent has removed from its source. Thread-safe.
Error no_longer_there(const EventSource& where);

// Reads the record that events were decoded from: raw.length bytes with kRecordPadding readable bytes behind them.
// Errors as above. The caller has to decode the bytes to see whether they are still the same record.
Result<std::string> read_record(const Source& source, const RawRef& raw);

// Reads the current version of the item that an event was decoded from, with kRecordPadding bytes behind it. For
// sources that are changed in place. Stateless, thread-safe. Errors as for read_item_text().
Result<std::string> read_item(const Adapter& adapter, const EventSource& where);

// Reads items one after the other as read_item() does. It caches the document read last, so that a walk through a
// session reads a document once and sees one version of it. Databases are opened for each item, because an open one
// would block its writer. One thread at a time.
class ItemWalk {
 public:
  Result<std::string> read(const Adapter& adapter, const EventSource& where);

 private:
  DiskView files_;  // `reader_` refers to it
  std::string path_;
  std::unique_ptr<SnapshotReader> reader_;
};

// Reads the full text of an event from the current version of its item, which may be newer than the indexed one. For
// sources that are changed in place. Stateless, thread-safe. Errc::not_found when the source does not show the item any
// more, Errc::busy while another process writes it. `walk`: given by callers that read many items of a session.
Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind,
                                   ItemWalk* walk = nullptr);

// Reads the full text of an event from the raw layer; masked if the raw layer is. Thread-safe.
Result<std::string> read_archived_text(raw::RawArchive& archive, const EventSource& where, EventKind kind);

// Finds the record that an event was decoded from: in the agent's log, as an item of a source that is changed in place,
// or in the raw layer. Texts that were forgotten are masked in what the agent still has. Read-only. Thread-safe.
class RecordFinder {
 public:
  // The store's database and raw layer; neither need exist.
  RecordFinder(std::filesystem::path database, std::filesystem::path raw_directory, raw::FrameSeal seal = {})
      : texts_(StoreLayout(database.parent_path()).withheld()),
        archive_(std::move(database), std::move(raw_directory), std::move(seal)) {}

  // Calls `accept` with each candidate until it returns true. kRecordPadding readable bytes follow a candidate.
  // Errc::not_found when none is accepted.
  using Accept = std::function<bool(std::string_view record)>;
  // `walk`: given by callers that read many records of a session.
  Result<void> find(const EventSource& where, const Accept& accept, ItemWalk* walk = nullptr);
  // Masks forgotten texts in a text that was read from an agent's file otherwise.
  std::string without_forgotten(std::string text);

 private:
  WithheldTexts texts_;
  raw::RawArchive archive_;
};

}  // namespace memd
