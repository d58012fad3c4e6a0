#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/query.hpp"
#include "schemas/source.hpp"
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

// Reads the record that events were made from: raw.length bytes, and kRecordPadding more behind them. Errors as above.
// Whether the bytes are still the same record shows only when they are decoded.
Result<std::string> read_record(const Source& source, const RawRef& raw);

// Of a source that is changed in place: reads the item that an event was made from as it is now, with kRecordPadding
// bytes behind it. Stateless, thread-safe. Errors as below.
Result<std::string> read_item(const Adapter& adapter, const EventSource& where);

// Reads items as read_item() does, one after the other. It keeps a document that it has read, so that a walk through a
// session reads the document once; the walk sees it as it was then. Databases are opened for each item, because an open
// one would hold back its writer. One thread at a time.
class ItemWalk {
 public:
  Result<std::string> read(const Adapter& adapter, const EventSource& where);

 private:
  DiskView files_;  // the reader refers to it
  std::string path_;
  std::unique_ptr<SnapshotReader> reader_;
};

// Of a source that is changed in place: reads the full text of an event from its item as it is now, which may be newer
// than what was indexed. Stateless, thread-safe. Errc::not_found when the source does not show the item any more,
// Errc::busy when somebody is writing it.
Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind);

// Reads the full text of an event from the raw layer. Masked if the raw layer is. Thread-safe.
Result<std::string> read_archived_text(raw::RawArchive& archive, const EventSource& where, EventKind kind);

// Finds the record that an event was made from: in the agent's log, as an item of a source that is changed in place, or
// in the raw layer. Reads only. Thread-safe.
class RecordFinder {
 public:
  // The store's database and raw layer; neither need exist.
  RecordFinder(std::filesystem::path database, std::filesystem::path raw_directory, raw::FrameSeal seal = {})
      : archive_(std::move(database), std::move(raw_directory), std::move(seal)) {}

  // Calls `accept` with each candidate until it returns true. kRecordPadding readable bytes follow a candidate.
  // Errc::not_found when none is accepted.
  using Accept = std::function<bool(std::string_view record)>;
  // `walk`: of a caller who asks for many records of a session.
  Result<void> find(const EventSource& where, const Accept& accept, ItemWalk* walk = nullptr);

 private:
  raw::RawArchive archive_;
};

}  // namespace memd
