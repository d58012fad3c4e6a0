#pragma once

#include "adapters/adapter.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/query.hpp"
#include "schemas/source.hpp"
#include "store/raw/raw_archive.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace memd {

// Fetches the full text of an event from the agent's own file, where it stands unless the agent purged or rewrote it.
// Stateless, thread-safe.
//   `source_path`  file the event was read from
//   `platform`     whose adapter understands it
// Errc::not_found when the file is gone or holds something else at that place now.
Result<std::string> read_event_text(Platform platform, const std::string& source_path, EventKind kind,
                                    const RawRef& raw);

// The record that events were made from, as the adapter's decoder takes it: raw.length bytes, and kRecordPadding more
// behind them. Errors as above; that the bytes are still the same record shows only when they are decoded.
Result<std::string> read_record(const Source& source, const RawRef& raw);

// The item an event of a source that is changed in place was made from, as it is there now, with kRecordPadding bytes
// behind it. Stateless, thread-safe. Errors as below.
Result<std::string> read_item(const Adapter& adapter, const EventSource& where);

// Fetches the full text of an event from a source that is changed in place: of its item as it is there now, which may
// be newer than what was indexed. Stateless, thread-safe. Errc::not_found when the source does not show the item any
// more, Errc::busy when somebody is writing it.
Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind);

// The full text of an event out of the raw layer, as read_event_text() gives it out of the agent's file. Masked if the
// raw layer is. Thread-safe.
Result<std::string> read_archived_text(raw::RawArchive& archive, const EventSource& where, EventKind kind);

// Finds the record that an event was made from, wherever it still stands: in the agent's log, as an item of a source
// that is changed in place, or in the raw layer. Reads only. Thread-safe.
class RecordFinder {
 public:
  // The store's database and raw layer; neither need exist.
  RecordFinder(std::filesystem::path database, std::filesystem::path raw_directory)
      : archive_(std::move(database), std::move(raw_directory)) {}

  // Offers the records that may be it, until one is taken. kRecordPadding readable bytes follow each.
  // Errc::not_found when none is.
  using Accept = std::function<bool(std::string_view record)>;
  Result<void> find(const EventSource& where, const Accept& accept);

 private:
  raw::RawArchive archive_;
};

}  // namespace memd
