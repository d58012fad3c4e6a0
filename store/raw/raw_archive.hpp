#pragma once

#include "schemas/base/result.hpp"
#include "schemas/exchange_row.hpp"
#include "store/db/database.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Readers of the raw layer: single records, all slices in order, and an integrity check.
namespace memd::raw {

// Finds single records in the raw layer, used when the agent's file is gone. Caches a few decompressed frames.
// Thread-safe.
class RawArchive {
 public:
  RawArchive(std::filesystem::path database, std::filesystem::path directory, FrameSeal seal = {});

  // Passes the records that the source had at this place to `accept`, the latest first, until it returns true. Each
  // record is followed by 64 readable bytes. Errc::not_found if none is accepted or there is no raw layer; Errc::io
  // names a damaged frame, Errc::bad_config a sealed one that cannot be decrypted.
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
  Result<const Frame*> load(const Place& place);

  const std::filesystem::path database_;
  const std::filesystem::path directory_;
  const FrameSeal seal_;
  mutable std::mutex mutex_;
  std::optional<sqlite::Database> db_;
  FrameCodec codec_;
  std::list<Frame> frames_;  // most recently used first
};

// Iterates over all slices of a raw layer in ingest order, independent of the file and frame that hold them. Memory:
// about 30 bytes per slice and a bounded number of decompressed frames. One thread.
class RawOrder {
 public:
  explicit RawOrder(std::filesystem::path directory, FrameSeal seal = {});

  // Reads the headers of all files. Errc::bad_config at a frame sealed with a key that is not available.
  Result<void> scan();
  std::size_t slices() const { return order_.size(); }
  struct Eviction {
    std::string session_uid;
    std::string record;  // as written by Retention
  };
  // Returns the evicted sessions, in no particular order.
  const std::vector<Eviction>& evictions() const { return evictions_; }
  std::uint64_t content_bytes() const { return content_bytes_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }
  static constexpr std::size_t kMostDamagesNamed = 20;
  // The first kMostDamagesNamed, by file and offset.
  const std::vector<std::string>& damages() const { return damages_; }

  // Calls `visit` for each slice in order. `content` is followed by kRecordPadding (64) readable bytes. Unreadable
  // frames are counted and skipped.
  using Visit = std::function<Result<void>(const FrameHeader& header, const Part& part, std::string_view content)>;
  Result<void> for_each(const Visit& visit);

 private:
  struct FramePlace {
    std::uint32_t file = 0;
    std::uint32_t slices_left = 0;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  struct SlicePlace {
    std::uint64_t number = 0;
    std::uint32_t frame = 0;
    std::uint32_t part = 0;
  };
  struct Loaded {
    FrameHeader header;
    std::string content;
    std::vector<std::uint64_t> begins;  // start offsets of the parts in `content`
    std::list<std::uint32_t>::iterator use;
  };
  Loaded* load(std::uint32_t frame);
  void unload(std::uint32_t frame);
  void add_damage(std::uint32_t file, std::uint64_t offset, std::uint64_t length);

  std::filesystem::path directory_;
  FrameSeal seal_;
  std::vector<std::string> files_;
  std::vector<FramePlace> frames_;
  std::vector<SlicePlace> order_;
  std::vector<Eviction> evictions_;
  std::unordered_map<std::uint32_t, Loaded> loaded_;
  std::list<std::uint32_t> uses_;  // most recently used first
  std::uint64_t loaded_bytes_ = 0;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t damaged_bytes_ = 0;
  std::vector<std::string> damages_;
  FrameCodec codec_;
};

struct RawCheck {
  std::uint64_t files = 0;  // number of raw files
  std::uint64_t bytes = 0;  // total size of these files
  std::uint64_t bytes_read = 0;
  std::uint64_t damaged_bytes = 0;
  std::vector<std::string> damages;  // the first, by file and offset; includes missing and truncated files
};
// Checks the raw layer. Decompresses frames, whose checksums detect damage, from files in random order until
// `most_bytes` are read. Compares the lengths of all files with the committed lengths in the store. Errc::bad_config at
// a frame whose key is not available. Opens its own connection. Any thread.
Result<RawCheck> check_raw_layer(const std::filesystem::path& database, const std::filesystem::path& directory,
                                 const FrameSeal& seal, std::uint64_t most_bytes);

}  // namespace memd::raw
