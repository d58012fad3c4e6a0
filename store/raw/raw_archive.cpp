#include "store/raw/raw_archive.hpp"

#include "schemas/base/error.hpp"
#include "store/db/rows.hpp"
#include "store/raw/raw_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <system_error>
#include <utility>

namespace memd::raw {
namespace {

constexpr std::size_t kCachedBytes = 24 << 20;
constexpr std::uint64_t kLoadedBytes = 64 << 20;
constexpr std::size_t kPadding = 64;

struct UnpackedFrame {
  FrameHeader header;
  std::string content;  // followed by kPadding readable bytes
};

// Reads and decompresses a frame. Errc::not_found, Errc::io: the frame is no longer at this place of the file, or is
// damaged. Errc::bad_config: it is sealed with a key that is not available.
Result<UnpackedFrame> read_frame(const std::filesystem::path& directory, const FramePlace& place, std::uint64_t length,
                                 const FrameSeal& seal, FrameCodec& codec) {
  MEMD_TRY_ASSIGN(const auto file, FileBytes::open(directory / place.file, place.offset, length));
  const auto bytes = file.bytes();
  if (bytes.size() < length)
    return Error(Errc::io, fmt::format("raw/{} ends before byte {}", place.file, place.offset + length));
  MEMD_TRY_ASSIGN(auto parsed, seal.parse(bytes, place));
  UnpackedFrame out{std::move(parsed.header), std::string(kPadding, '\0')};
  if (const std::uint64_t size = out.header.content_bytes(); size > 0) {
    auto content = codec.unpack(parsed.packed_content(bytes), size, kPadding);
    if (!content)
      return Error(Errc::io, fmt::format("raw/{} at byte {}: {}", place.file, place.offset, content.error().context));
    out.content = std::move(*content);
  }
  return out;
}

// Returns the line of an item in a part; nullopt when the part does not contain the item.
std::optional<std::string_view> item_line(const Part& part, std::string_view content, std::uint64_t number) {
  if (!part.items || number <= part.items->keep || number > part.items->keep + part.items->added.size())
    return std::nullopt;
  std::uint64_t line = number - part.items->keep - 1 + (part.items->has_head ? 1 : 0);
  for (; line > 0; --line)
    content.remove_prefix(std::min(content.find('\n'), content.size() - 1) + 1);
  return content.substr(0, content.find('\n'));
}

std::optional<std::string_view> record_in(const FrameHeader& header, const Part& part, std::string_view content,
                                          const RawRef& raw) {
  if (header.kind == FrameKind::items) return item_line(part, content, raw.offset);
  if (header.kind == FrameKind::document) return content;
  if (raw.offset < part.first || raw.offset + raw.length > part.first + part.length) return std::nullopt;
  const std::uint64_t begin = raw.offset - part.first;
  const std::uint64_t end = begin + raw.length;
  const bool whole = (begin == 0 || content[begin - 1] == '\n') && (end == content.size() || content[end] == '\n');
  return whole ? std::optional(content.substr(begin, raw.length)) : std::nullopt;
}

}  // namespace

RawArchive::RawArchive(std::filesystem::path database, std::filesystem::path directory, FrameSeal seal)
    : database_(std::move(database)), directory_(std::move(directory)), seal_(std::move(seal)) {}

std::vector<RawArchive::Place> RawArchive::places(const EventSource& where) {
  if (!db_) db_ = sqlite::Database::open(database_, sqlite::OpenMode::read_only);
  return db_
      ->query(
          "SELECT f.name, r.file_offset, r.file_length, r.first_number, r.last_number FROM raw_frames r JOIN raw_files "
          "f"
          " USING (file_pk) WHERE r.source_pk = ?1 AND r.range_first <= ?2 AND r.range_end > ?2"
          " AND (r.session_uid = '' OR r.session_uid = ?3) ORDER BY r.last_number DESC LIMIT 16",
          where.source, where.raw.offset, where.session_uid)
      .all(sqlite::fields_of<Place>);
}

// Returns a frame from the cache or the file. Errc::io when the file meanwhile has other frames at this place, or a
// damaged one.
Result<const RawArchive::Frame*> RawArchive::load(const Place& place) {
  for (auto it = frames_.begin(); it != frames_.end(); ++it)
    if (it->place.file == place.file && it->place.first_number == place.first_number &&
        it->place.last_number == place.last_number) {
      frames_.splice(frames_.begin(), frames_, it);
      return &frames_.front();
    }
  auto frame = read_frame(directory_, {place.file, place.offset}, place.length, seal_, codec_);
  if (!frame) return frame.error();
  if (frame->header.parts.empty() || frame->header.parts.front().number != place.first_number)
    return Error(Errc::io, fmt::format("raw/{} at byte {}: another frame", place.file, place.offset));
  frames_.push_front({place, std::move(frame->header), std::move(frame->content)});
  std::size_t total = 0;
  for (auto it = frames_.begin(); it != frames_.end();) {
    total += it->content.size();
    it = total > kCachedBytes && it != frames_.begin() ? frames_.erase(it) : std::next(it);
  }
  return &frames_.front();
}

Result<void> RawArchive::find(const EventSource& where, const Accept& accept) {
  const std::lock_guard lock(mutex_);
  Error unread;  // error of a frame that may contain the record
  auto found = sqlite::guard([&] {
    // Two attempts, because frames may be merged between querying their places and reading them.
    for (int attempt = 0; attempt < 2; ++attempt) {
      unread = Error();
      for (const auto& place : places(where)) {
        const auto loaded = load(place);
        if (!loaded) {
          unread = loaded.error();
          continue;
        }
        const Frame* frame = *loaded;
        const auto& parts = frame->header.parts;
        std::uint64_t end = frame->content.size() - kPadding;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
          end -= part->length;
          const auto content = std::string_view(frame->content).substr(end, part->length);
          const auto record = record_in(frame->header, *part, content, where.raw);
          if (record && accept(*record)) return true;
        }
      }
      if (!unread.code) break;
    }
    return false;
  });
  if (!found) {
    db_.reset();
    return found.error();
  }
  if (*found) return {};
  if (unread.code) return unread;
  return Error(Errc::not_found,
               "the original records have no record of " + where.path + " at " + std::to_string(where.raw.offset));
}

std::size_t RawArchive::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& frame : frames_)
    total += frame.content.size();
  return total;
}

RawOrder::RawOrder(std::filesystem::path directory, FrameSeal seal)
    : directory_(std::move(directory)), seal_(std::move(seal)) {}

void RawOrder::add_damage(std::uint32_t file, std::uint64_t offset, std::uint64_t length) {
  damaged_bytes_ += length;
  if (damages_.size() < kMostDamagesNamed)
    damages_.push_back(fmt::format("raw/{} at byte {}: {} bytes", files_[file], offset, length));
}

Result<void> RawOrder::scan() {
  files_ = raw_file_names(directory_);
  for (std::uint32_t file = 0; file < files_.size(); ++file) {
    MEMD_TRY_ASSIGN(const auto mapped, FileBytes::open(directory_ / files_[file]));
    MEMD_TRY_ASSIGN(const RawScan scan, scan_frames(mapped.bytes(), files_[file], seal_));
    for (const auto& damage : scan.damages)
      add_damage(file, damage.offset, damage.length);
    for (const auto& f : scan.frames) {
      const auto& parts = f.frame.header.parts;
      const auto frame = static_cast<std::uint32_t>(frames_.size());
      frames_.push_back({file, static_cast<std::uint32_t>(parts.size()), f.offset, f.frame.length});
      if (f.frame.header.kind == FrameKind::evicted) {
        evictions_.push_back({f.frame.header.session_uid, f.frame.header.eviction});
        continue;
      }
      for (std::uint32_t i = 0; i < parts.size(); ++i)
        order_.push_back({parts[i].number, frame, i});
      content_bytes_ += f.frame.header.content_bytes();
    }
  }
  std::sort(order_.begin(), order_.end(), [](const SlicePlace& a, const SlicePlace& b) { return a.number < b.number; });
  return {};
}

RawOrder::Loaded* RawOrder::load(std::uint32_t frame) {
  if (const auto it = loaded_.find(frame); it != loaded_.end()) {
    uses_.splice(uses_.begin(), uses_, it->second.use);
    return &it->second;
  }
  const FramePlace& place = frames_[frame];
  auto unpacked = read_frame(directory_, {files_[place.file], place.offset}, place.length, seal_, codec_);
  if (!unpacked) return nullptr;
  Loaded loaded;
  loaded.header = std::move(unpacked->header);
  loaded.content = std::move(unpacked->content);
  std::uint64_t begin = 0;
  for (const auto& part : loaded.header.parts) {
    loaded.begins.push_back(begin);
    begin += part.length;
  }
  while (!uses_.empty() && loaded_bytes_ + loaded.content.size() > kLoadedBytes)
    unload(uses_.back());
  loaded_bytes_ += loaded.content.size();
  uses_.push_front(frame);
  loaded.use = uses_.begin();
  return &loaded_.emplace(frame, std::move(loaded)).first->second;
}

void RawOrder::unload(std::uint32_t frame) {
  const auto it = loaded_.find(frame);
  loaded_bytes_ -= it->second.content.size();
  uses_.erase(it->second.use);
  loaded_.erase(it);
}

Result<void> RawOrder::for_each(const Visit& visit) {
  for (const auto& place : order_) {
    Loaded* frame = load(place.frame);
    if (frame == nullptr) {
      auto& damaged = frames_[place.frame];
      if (damaged.slices_left > 0) add_damage(damaged.file, damaged.offset, damaged.length);
      damaged.slices_left = 0;
      continue;
    }
    const Part& part = frame->header.parts[place.part];
    MEMD_TRY(
        visit(frame->header, part, std::string_view(frame->content).substr(frame->begins[place.part], part.length)));
    if (--frames_[place.frame].slices_left == 0) unload(place.frame);
  }
  return {};
}

namespace {

void add_damage(RawCheck& check, std::string_view file, std::uint64_t offset, std::uint64_t length) {
  check.damaged_bytes += length;
  if (check.damages.size() < RawOrder::kMostDamagesNamed)
    check.damages.push_back(fmt::format("raw/{} at byte {}: {} bytes", file, offset, length));
}

// Checks the committed frames of one file. Later frames are remains of a crash.
Result<void> check_frames(RawCheck& check, const std::filesystem::path& directory, const std::string& name,
                          std::uint64_t committed, const FrameSeal& seal, FrameCodec& codec) {
  MEMD_TRY_ASSIGN(const auto file, FileBytes::open(directory / name, 0, committed));
  const std::string_view bytes = file.bytes();
  MEMD_TRY_ASSIGN(const RawScan scan, scan_frames(bytes, name, seal));
  for (const auto& damage : scan.damages)
    add_damage(check, name, damage.offset, damage.length);
  for (const auto& f : scan.frames) {
    const auto frame = seal.parse(bytes.substr(f.offset), {name, f.offset});
    const std::uint64_t size = f.frame.header.content_bytes();
    if (!frame || (size > 0 && !codec.unpack(frame->packed_content(bytes.substr(f.offset)), size)))
      add_damage(check, name, f.offset, f.frame.length);
  }
  check.bytes_read += bytes.size();
  return {};
}

}  // namespace

Result<RawCheck> check_raw_layer(const std::filesystem::path& database, const std::filesystem::path& directory,
                                 const FrameSeal& seal, std::uint64_t most_bytes) {
  MEMD_TRY_ASSIGN(auto files, sqlite::guard([&] {
                    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
                    return db.query("SELECT name, length FROM raw_files").all([](const auto& q) {
                      return std::pair(q.str(0), static_cast<std::uint64_t>(q.int64(1)));
                    });
                  }));
  RawCheck check;
  check.files = files.size();
  for (const auto& [name, length] : files) {
    check.bytes += length;
    std::error_code ec;
    const auto size = std::filesystem::file_size(directory / name, ec);
    if (const std::uint64_t there = ec ? 0 : size; there < length) add_damage(check, name, there, length - there);
  }
  std::shuffle(files.begin(), files.end(), std::mt19937(std::random_device()()));
  FrameCodec codec;
  for (const auto& [name, length] : files) {
    if (check.bytes_read >= most_bytes) break;
    const auto read = check_frames(check, directory, name, length, seal, codec);
    if (!read && !read.error().is(Errc::not_found)) return read.error();
  }
  return check;
}

}  // namespace memd::raw
