#include "store/raw/raw_archive.hpp"

#include "store/raw/raw_file.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace memd::raw {
namespace {

constexpr std::size_t kCachedBytes = 24 << 20;
constexpr std::size_t kPadding = 64;

// The line of an item in a part; nullopt when the part has it not.
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

RawArchive::RawArchive(std::filesystem::path database, std::filesystem::path directory)
    : database_(std::move(database)), directory_(std::move(directory)) {}

std::vector<RawArchive::Place> RawArchive::places(const EventSource& where) {
  if (!db_) db_ = sqlite::Database::open(database_, sqlite::OpenMode::read_only);
  auto& q = db_->prepare(
      "SELECT f.name, r.file_offset, r.file_length, r.first_number, r.last_number FROM raw_frames r JOIN raw_files f"
      " USING (file_pk) WHERE r.source_pk = ?1 AND r.range_first <= ?2 AND r.range_end > ?2"
      " AND (r.session_uid = '' OR r.session_uid = ?3) ORDER BY r.last_number DESC LIMIT 16");
  q.bind(where.source, where.raw.offset, where.session_uid);
  std::vector<Place> out;
  const auto u = [&q](int column) { return static_cast<std::uint64_t>(q.int64(column)); };
  while (q.step())
    out.push_back({q.str(0), u(1), u(2), u(3), u(4)});
  q.reset();
  return out;
}

// Null when the file has other frames at this place by now, or a damaged one.
const RawArchive::Frame* RawArchive::load(const Place& place) {
  for (auto it = frames_.begin(); it != frames_.end(); ++it)
    if (it->place.file == place.file && it->place.first_number == place.first_number &&
        it->place.last_number == place.last_number) {
      frames_.splice(frames_.begin(), frames_, it);
      return &frames_.front();
    }
  const auto file = MappedFile::open(directory_ / place.file);
  if (!file || file->bytes().size() < place.offset + place.length) return nullptr;
  const auto bytes = file->bytes().substr(place.offset, place.length);
  auto parsed = parse_frame(bytes);
  if (!parsed || parsed->header.parts.empty() || parsed->header.parts.front().number != place.first_number)
    return nullptr;
  auto content = codec_.unpack(bytes.substr(parsed->content_at), parsed->header.content_bytes(), kPadding);
  if (!content) return nullptr;
  frames_.push_front({place, std::move(parsed->header), std::move(*content)});
  std::size_t total = 0;
  for (auto it = frames_.begin(); it != frames_.end();) {
    total += it->content.size();
    it = total > kCachedBytes && it != frames_.begin() ? frames_.erase(it) : std::next(it);
  }
  return &frames_.front();
}

Result<void> RawArchive::find(const EventSource& where, const Accept& accept) {
  const std::lock_guard lock(mutex_);
  auto found = sqlite::guard([&] {
    // Twice, because frames may be merged between asking where they are and looking there.
    for (int attempt = 0; attempt < 2; ++attempt) {
      bool moved = false;
      for (const auto& place : places(where)) {
        const Frame* frame = load(place);
        if (frame == nullptr) {
          moved = true;
          continue;
        }
        const auto& parts = frame->header.parts;
        std::uint64_t end = frame->content.size() - kPadding;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
          end -= part->length;
          const auto content = std::string_view(frame->content).substr(end, part->length);
          const auto record = record_in(frame->header, *part, content, where.raw);
          if (record && accept(*record)) return true;
        }
      }
      if (!moved) break;
    }
    return false;
  });
  if (!found) {
    db_.reset();
    return found.error();
  }
  if (*found) return {};
  return Error(Errc::not_found,
               "the raw layer has no record of " + where.path + " at " + std::to_string(where.raw.offset));
}

std::size_t RawArchive::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& frame : frames_)
    total += frame.content.size();
  return total;
}

}  // namespace memd::raw
