#pragma once

#include "schemas/error.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_frame.hpp"

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace memd::raw {

// Finds single records in the raw layer, for when the agent's file is gone. Caches a few unpacked frames. Thread-safe.
class RawArchive {
 public:
  RawArchive(std::filesystem::path database, std::filesystem::path directory);

  // Offers the records that stood at this place to `accept`, the latest first, until it returns true. 64 readable bytes
  // follow each record. Errc::not_found if it accepts none, or there is no raw layer.
  using Accept = std::function<bool(std::string_view record)>;
  Result<void> find(const EventSource& where, const Accept& accept);

  std::size_t cached_bytes() const;

 private:
  struct Place {
    std::string file;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t first_number = 0;
    std::uint64_t last_number = 0;
  };
  struct Frame {
    Place place;
    FrameHeader header;
    std::string content;
  };
  std::vector<Place> places(const EventSource& where);
  const Frame* load(const Place& place);

  const std::filesystem::path database_;
  const std::filesystem::path directory_;
  mutable std::mutex mutex_;
  std::optional<sqlite::Database> db_;
  FrameCodec codec_;
  std::list<Frame> frames_;  // the latest used first
};

}  // namespace memd::raw
