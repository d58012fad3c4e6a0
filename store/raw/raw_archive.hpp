#pragma once

#include "schemas/error.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// The ways of reading the raw layer: single records, all slices in order, and whether it is sound.
namespace memd::raw {

// Finds single records in the raw layer, for when the agent's file is gone. Caches a few unpacked frames. Thread-safe.
class RawArchive {
 public:
  RawArchive(std::filesystem::path database, std::filesystem::path directory, FrameSeal seal = {});

  // Offers the records that stood at this place to `accept`, the latest first, until it returns true. 64 readable bytes
  // follow each record. Errc::not_found if it accepts none, or there is no raw layer; Errc::io names
  // a damaged frame, Errc::bad_config a sealed one that cannot be opened.
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
  std::list<Frame> frames_;  // the latest used first
};

// All slices that a raw layer holds, in the order in which they were taken in, whatever file and frame they stand in
// now. Memory: some 30 bytes a slice and a bounded number of unpacked frames. One thread.
class RawOrder {
 public:
  explicit RawOrder(std::filesystem::path directory, FrameSeal seal = {});

  // Looks at the headers of all files. Errc::bad_config at a frame that is sealed with a key that is not there.
  Result<void> scan();
  std::size_t slices() const { return order_.size(); }
  struct Eviction {
    std::string session_uid;
    std::string record;  // as Retention wrote it
  };
  // Of evicted sessions, in no particular order.
  const std::vector<Eviction>& evictions() const { return evictions_; }
  std::uint64_t content_bytes() const { return content_bytes_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }
  static constexpr std::size_t kMostDamagesNamed = 20;
  const std::vector<std::string>& damages() const { return damages_; }  // the first, by file and offset

  // `content` has kRecordPadding (64) readable bytes behind it. A frame that cannot be read is counted and left out.
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
    std::vector<std::uint64_t> begins;  // of the parts in the content
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
  std::list<std::uint32_t> uses_;  // the latest first
  std::uint64_t loaded_bytes_ = 0;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t damaged_bytes_ = 0;
  std::vector<std::string> damages_;
  FrameCodec codec_;
};

struct RawCheck {
  std::uint64_t files = 0;  // of the raw layer
  std::uint64_t bytes = 0;  // in them
  std::uint64_t bytes_read = 0;
  std::uint64_t damaged_bytes = 0;
  std::vector<std::string> damages;  // the first, by file and offset; files that are missing or cut, too
};
// Unpacks frames, whose checksums tell whether they are what was written: of files in a random order, until
// `most_bytes` are read. Compares the lengths of all files with what the store says was committed. Errc::bad_config at
// a frame whose key is not there. Opens a connection of its own; any thread.
Result<RawCheck> check_raw_layer(const std::filesystem::path& database, const std::filesystem::path& directory,
                                 const FrameSeal& seal, std::uint64_t most_bytes);

}  // namespace memd::raw
