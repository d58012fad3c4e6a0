#pragma once

#include "schemas/error.hpp"
#include "schemas/query.hpp"
#include "store/raw/raw_archive.hpp"

#include <filesystem>
#include <functional>
#include <string_view>

namespace memd {

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
