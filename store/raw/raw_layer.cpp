#include "store/raw/raw_layer.hpp"

#include "schemas/ids.hpp"
#include "store/raw/raw_file.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

namespace memd::raw {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kFullFrame = 2 << 20;

struct Merged {
  FrameHeader header;
  std::string content;
  SourceId source = 0;
};

}  // namespace

RawLayer::RawLayer(sqlite::Database& db, fs::path directory, Options options)
    : db_(db), rows_(db), directory_(std::move(directory)), options_(options) {}

void RawLayer::recover(TimeMs now) {
  damaged_ = false;
  const auto known = rows_.files();
  std::vector<FileRow> differing;
  for (const auto& row : known) {
    std::error_code ec;
    const auto size = fs::file_size(directory_ / row.name, ec);
    if (ec || size != row.length) differing.push_back(row);
  }
  const auto names = known.empty() ? raw_file_names(directory_) : std::vector<std::string>();
  if (!differing.empty() || !names.empty()) {
    sqlite::Transaction transaction(db_);
    for (const auto& row : differing)
      reconcile(db_, directory_, row, now);
    for (const auto& name : names)
      adopt(db_, directory_, name);
    transaction.commit();
  }
  next_number_ = rows_.last_number() + 1;
}

void RawLayer::add(SourceSlice& slice, TimeMs now) {
  if (slice.raw_length == 0) slice.raw_length = slice.raw.size();
  if (slice.raw_length == 0 && !slice.restart && !slice.items && slice.rest.empty() && slice.raw_passed_over == 0 &&
      slice.source.mark.empty())
    return;
  Pending p;
  p.header = header_of(slice);
  p.header.parts.back().number = next_number_++;
  p.header.parts.back().applied_at = now;
  if (slice.raw_length > 0) p.packed = slice.raw_packed.empty() ? codec_.pack(slice.raw) : std::move(slice.raw_packed);
  p.source = slice.source.id;
  pending_.push_back(std::move(p));
}

// What the store says of the file, or what the file says of itself when the store knows nothing.
FileRow RawLayer::writable_row(const std::string& name) {
  if (auto row = rows_.file(name)) return *row;
  return adopt(db_, directory_, name);
}

void RawLayer::append(const std::string& name, const std::vector<const Pending*>& frames, TimeMs now) {
  FileRow row = writable_row(name);
  std::string bytes;
  for (const Pending* p : frames) {
    const std::uint64_t offset = row.length + bytes.size();
    bytes += encode_frame(p->header, p->packed);
    rows_.add_frame(row.pk, offset, row.length + bytes.size() - offset, p->source, p->header);
    row.last_number = p->header.parts.back().number;
    row.small_frames = p->header.content_bytes() < kSmallFrame ? row.small_frames + 1 : 0;
  }
  if (auto written = write_at(directory_ / name, row.length, bytes, damaged_); !written)
    throw ErrorException(written.error());
  row.length += bytes.size();
  row.written_at = now;
  rows_.save(row);
  if (row.small_frames >= options_.merge_from) to_merge_.push_back(name);
}

void RawLayer::write(TimeMs now) {
  if (pending_.empty()) return;
  pending_.back().header.parts.back().ends_commit = true;
  std::map<std::string, std::vector<const Pending*>> by_file;
  for (auto& p : pending_) {
    p.header.parts.back().committed_at = now;
    by_file[p.header.file_name()].push_back(&p);
  }
  for (const auto& [name, frames] : by_file)
    append(name, frames, now);
}

void RawLayer::committed() {
  pending_.clear();
  // What cannot be merged now will be some time; nothing depends on it.
  for (const auto& name : std::exchange(to_merge_, {}))
    (void)sqlite::guard([&] { merge_small_frames(name); });
}

void RawLayer::rolled_back() {
  pending_.clear();
  to_merge_.clear();
  if (damaged_) recover(0);
}

void RawLayer::merge_quiet_files(TimeMs now) {
  for (const auto& row : rows_.files())
    if (row.small_frames > 1 && now - row.written_at >= options_.quiet_after) merge_small_frames(row.name);
}

// Small frames become large ones. The parts keep their numbers and times, so that a rebuild sees no difference.
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
  if (keep + tail.size() == row->length) tail += kEmptyFrame;
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
