// Small frames become large ones. The parts keep their numbers and times, so that a rebuild sees no difference.
#include "schemas/ids.hpp"
#include "store/raw/raw_file.hpp"
#include "store/raw/raw_layer.hpp"

#include <algorithm>
#include <utility>

namespace memd::raw {
namespace {

constexpr std::uint64_t kFullFrame = 2 << 20;

struct Merged {
  FrameHeader header;
  std::string content;
  SourceId source = 0;
};

}  // namespace

void RawLayer::merge_small_frames(std::string_view file_name) {
  auto row = rows_.file(file_name);
  if (!row) return;
  const auto frames = rows_.frames(row->pk);
  std::size_t first = frames.size();
  while (first > 0 && frames[first - 1].bytes < kFullFrame / 2)
    --first;
  if (frames.size() - first < 2) return;
  const auto path = directory_ / row->name;
  auto file = MappedFile::open(path);
  if (!file) throw ErrorException(file.error());
  const std::uint64_t keep = frames[first].offset;

  std::vector<Merged> merged;
  for (std::size_t i = first; i < frames.size(); ++i) {
    if (frames[i].offset + frames[i].length > file->bytes().size()) return;  // for recover() to see to
    const auto bytes = file->bytes().substr(frames[i].offset, frames[i].length);
    auto frame = parse_frame(bytes);
    if (!frame || frame->length != frames[i].length) return;
    std::string content;
    if (frame->content_size > 0) {
      auto unpacked = codec_.unpack(bytes.substr(frame->content_at), frame->header.content_bytes());
      if (!unpacked) return;  // damaged: it stays as it is
      content = std::move(*unpacked);
    }
    if (merged.empty() || !merged.back().header.goes_with(frame->header) ||
        merged.back().content.size() + content.size() > kFullFrame) {
      merged.push_back({std::move(frame->header), std::move(content), frames[i].source});
    } else {
      auto& parts = merged.back().header.parts;
      for (auto& part : frame->header.parts)
        parts.push_back(std::move(part));
      merged.back().content += content;
    }
  }

  sqlite::Transaction transaction(db_);
  rows_.drop_frames(row->pk, keep);
  std::string tail;
  for (const auto& m : merged) {
    const std::uint64_t offset = keep + tail.size();
    tail += encode_frame(m.header, m.content.empty() ? std::string() : codec_.pack(m.content));
    rows_.add_frame(row->pk, offset, keep + tail.size() - offset, m.source, m.header);
  }
  // A file whose length tells that its frames are not where the rows say: that is how recover() notices a crash
  // between the two steps below.
  if (keep + tail.size() == row->length) tail.append("\x50\x2A\x4D\x18\0\0\0\0", 8);
  row->length = keep + tail.size();
  row->small_frames = 0;
  rows_.save(*row);
  if (auto done = replace_file(path, keep, tail); !done) throw ErrorException(done.error());
  transaction.commit();
}

std::uint64_t RawLayer::evict(std::string_view session_uid, std::string record, TimeMs now) {
  FrameHeader tombstone;
  tombstone.kind = FrameKind::evicted;
  tombstone.session_uid = session_uid;
  if (const auto parts = split_session_uid(session_uid)) tombstone.platform = parts->platform;
  tombstone.eviction = std::move(record);
  Part& part = tombstone.parts.emplace_back();
  part.number = next_number_++;
  part.applied_at = part.committed_at = now;
  FileRow row = writable_row(tombstone.file_name());
  const auto path = directory_ / row.name;

  // Frames of others that share the file stay.
  std::string content;
  std::uint64_t offset = 0;
  const auto file = MappedFile::open(path);
  if (!file && !file.error().is(Errc::not_found)) throw ErrorException(file.error());
  rows_.drop_frames(row.pk, 0);
  if (file)
    for (const auto& f : scan_frames(file->bytes()).frames) {
      if (f.frame.header.session() == session_uid) continue;
      content += file->bytes().substr(f.offset, f.frame.length);
      if (f.frame.header.kind != FrameKind::evicted)
        rows_.add_frame(row.pk, offset, f.frame.length, rows_.source_of(f.frame.header), f.frame.header);
      offset = content.size();
    }
  content += encode_frame(tombstone, {});
  const std::uint64_t before = row.length;
  row.length = content.size();
  row.last_number = part.number;
  row.small_frames = 0;
  row.written_at = now;
  rows_.save(row);
  if (auto done = replace_file(path, 0, content); !done) throw ErrorException(done.error());
  return before - std::min(before, row.length);
}

}  // namespace memd::raw
