#pragma once

#include "store/db/database.hpp"
#include "store/raw/frame_seal.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace memd::raw {

// Selects the records to erase from the raw layer.
struct Erasure {
  // Selects all records of a session.
  std::function<bool(std::string_view session_uid)> session;
  // Selects single records that are otherwise kept. They come file by file, in the order of the source. The header is
  // that of the record's frame; `place` is its offset in the source, or the number of an item. 64 readable bytes follow
  // the record.
  std::function<bool(const FrameHeader& header, std::string_view record, std::uint64_t place)> record;
  // Masks what is not to be kept of other records, in place: lines that keep their lengths. Returns how much it masked.
  // Empty: nothing.
  std::function<std::size_t(std::span<char> lines)> mask;
};

// Removes the files of selected sessions and rewrites files of other sources with blanks in place of selected records.
// Includes files without rows in the store. Drops damaged ranges of the other files in any case. Uses its own
// transactions. May be killed at any moment and repeated. Returns the number of bytes freed. Writer thread only. Throws
// ErrorException, also for sealed files when their key is missing.
std::uint64_t erase(sqlite::Database& db, const std::filesystem::path& directory, const FrameSeal& seal,
                    const Erasure& erasure);

}  // namespace memd::raw
