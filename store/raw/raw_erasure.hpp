#pragma once

#include "store/db/database.hpp"
#include "store/raw/frame_seal.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace memd::raw {

// What is to go from the raw layer.
struct Erasure {
  // All records of the session.
  std::function<bool(std::string_view session_uid)> session;
  // A record of a log or a document that stays otherwise; the header is that of its frame. 64 readable bytes follow the
  // record.
  std::function<bool(const FrameHeader& header, std::string_view record)> record;
};

// Removes files of sessions and writes files of other sources anew with blanks in place of records, in transactions of
// its own; files that the store does not know included. What is damaged in them goes too. May be killed at any moment
// and begun again. Returns how many bytes were freed. Writer thread only. Throws ErrorException, for sealed files
// without their key too.
std::uint64_t erase(sqlite::Database& db, const std::filesystem::path& directory, const FrameSeal& seal,
                    const Erasure& erasure);

}  // namespace memd::raw
