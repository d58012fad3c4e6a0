#include "store/raw/raw_layer.hpp"

#include "schemas/base/error.hpp"
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
constexpr std::string_view kKeyOfStore = "raw_layer_key";

// Encodes a frame for a new place, because a sealed frame is bound to its place.
std::string moved(const FrameSeal& reader, std::string_view file, const FramePlace& from, const FrameSeal& writer,
                  const FramePlace& to) {
  const auto bytes = file.substr(from.offset);
  const auto frame = reader.parse(bytes, from);
  if (!frame) throw ErrorException(frame.error());
  return writer.wrap(std::string(frame->plain(bytes)), to);
}

struct Merged {
  FrameHeader header;
  std::string content;
  SourceId source = 0;
};

}  // namespace

RawLayer::RawLayer(sqlite::Database& db, fs::path directory, FrameSeal seal, Options options)
    : db_(db),
      rows_(db),
      directory_(std::move(directory)),
      seal_(std::move(seal)),
      options_(options),
      next_number_(rows_.last_number() + 1) {}

// Throws when a sealed store would be written without its key. A layer must contain neither a mix of plain and sealed
// frames nor frames of two keys.
void RawLayer::check_key() {
  const auto own = seal_.key_id();
  if (!own) throw ErrorException(own.error());
  const std::string of_store = db_.query("SELECT value FROM meta WHERE key = ?", kKeyOfStore).value_or("");
  if (of_store.empty() || of_store == *own) return;
  throw ErrorException(Error(
      Errc::bad_config,
      "the original records are sealed with the key " + of_store + ", and " +
          (own->empty() ? "the configuration names no key. Put `encryption` back; `memd key unseal` undoes the sealing"
                        : "the configured key is " + *own +
                              ". To change keys: `memd key unseal` with the old one, then "
                              "`memd key seal` with the new one")));
}

void RawLayer::save_key(const std::string& id) {
  if (id.empty())
    db_.run("DELETE FROM meta WHERE key = ?", kKeyOfStore);
  else
    db_.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", kKeyOfStore, id);
}

void RawLayer::recover(TimeMs now) {
  check_key();
  remove_leftovers(directory_);
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
      reconcile(db_, directory_, seal_, row, now);
    for (const auto& name : names)
      adopt(db_, directory_, seal_, name);
    transaction.commit();
  }
  if (seal_.has_key()) save_key(seal_.key_id().value());
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

// Returns the file's row. Without one, creates the row from the file's frames.
FileRow RawLayer::writable_row(const std::string& name) {
  if (auto row = rows_.file(name)) return *row;
  return adopt(db_, directory_, seal_, name);
}

void RawLayer::append(const std::string& name, const std::vector<const Pending*>& frames, TimeMs now) {
  FileRow row = writable_row(name);
  std::string bytes;
  for (const Pending* p : frames) {
    const std::uint64_t offset = row.length + bytes.size();
    bytes += seal_.encode(p->header, p->packed, {name, offset});
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
  // A failed merge is repeated later; nothing depends on it.
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
    if (row.small_frames > 1 && has_passed(options_.quiet_after, row.written_at, now)) merge_small_frames(row.name);
}

// Merges small frames into large ones. The parts keep their numbers and times, so a rebuild gives the same result.
void RawLayer::merge_small_frames(std::string_view file_name) {
  auto row = rows_.file(file_name);
  if (!row) return;
  const auto frames = rows_.frames(row->pk);
  std::size_t first = frames.size();
  while (first > 0 && frames[first - 1].bytes < kFullFrame / 2)
    --first;
  if (frames.size() - first < 2) return;
  const auto path = directory_ / row->name;
  auto file = FileBytes::open(path);
  if (!file) throw ErrorException(file.error());
  const std::uint64_t keep = frames[first].offset;

  std::vector<Merged> merged;
  for (std::size_t i = first; i < frames.size(); ++i) {
    if (frames[i].offset + frames[i].length > file->bytes().size()) return;  // left to recover()
    const auto bytes = file->bytes().substr(frames[i].offset, frames[i].length);
    auto frame = seal_.parse(bytes, {row->name, frames[i].offset});
    if (!frame || frame->length != frames[i].length) return;
    std::string content;
    if (frame->content_size > 0) {
      auto unpacked = codec_.unpack(frame->packed_content(bytes), frame->header.content_bytes());
      if (!unpacked) return;  // damaged: left unchanged
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
    tail += seal_.encode(m.header, m.content.empty() ? std::string() : codec_.pack(m.content), {row->name, offset});
    rows_.add_frame(row->pk, offset, keep + tail.size() - offset, m.source, m.header);
  }
  // The committed length must change: an unchanged length would hide a crash between the two steps below from
  // recover().
  if (keep + tail.size() == row->length) tail += kEmptyFrame;
  row->length = keep + tail.size();
  row->small_frames = 0;
  rows_.save(*row);
  if (auto done = replace_file(path, keep, tail); !done) throw ErrorException(done.error());
  transaction.commit();
}

Resealed RawLayer::reseal(bool sealed) {
  Resealed done;
  const FrameSeal wanted = sealed ? seal_ : FrameSeal();
  for (const auto& row : rows_.files())
    if (!reseal_file(row, wanted, done)) done.damaged.push_back(row.name);
  if (!sealed && done.damaged.empty()) save_key({});
  return done;
}

// Reseals one file. Returns false, with the file unchanged, when it cannot be read as a whole.
bool RawLayer::reseal_file(FileRow row, const FrameSeal& wanted, Resealed& done) {
  const auto path = directory_ / row.name;
  const auto file = FileBytes::open(path);
  if (!file && file.error().is(Errc::not_found)) return row.length == 0;
  if (!file) throw ErrorException(file.error());
  const std::string_view committed = file->bytes().substr(0, row.length);
  const auto scan = scan_frames(committed, row.name, seal_);
  if (!scan) throw ErrorException(scan.error());
  if (!scan->damages.empty()) return false;
  if (std::all_of(scan->frames.begin(), scan->frames.end(),
                  [&](const FrameAt& f) { return f.is_sealed == wanted.has_key(); }))
    return true;
  sqlite::Transaction transaction(db_);
  rows_.drop_frames(row.pk, 0);
  std::string content;
  for (const auto& f : scan->frames) {
    const std::uint64_t offset = content.size();
    content += moved(seal_, committed, {row.name, f.offset}, wanted, {row.name, offset});
    if (f.frame.header.kind != FrameKind::evicted)
      rows_.add_frame(row.pk, offset, content.size() - offset, rows_.source_of(f.frame.header), f.frame.header);
  }
  row.length = content.size();
  rows_.save(row);
  if (auto written = replace_file(path, 0, content); !written) throw ErrorException(written.error());
  transaction.commit();
  ++done.files;
  done.frames += scan->frames.size();
  return true;
}

std::uint64_t RawLayer::evict(std::string_view session_uid, std::string record, TimeMs now) {
  check_key();
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

  // Keeps frames of other sessions that share the file.
  std::string content;
  std::uint64_t offset = 0;
  const auto file = FileBytes::open(path);
  if (!file && !file.error().is(Errc::not_found)) throw ErrorException(file.error());
  std::uint64_t freed = 0;
  for (const auto& f : rows_.frames(row.pk))
    freed += f.length;
  rows_.drop_frames(row.pk, 0);
  if (file) {
    const auto scan = scan_frames(file->bytes(), row.name, seal_);
    if (!scan) throw ErrorException(scan.error());
    for (const auto& f : scan->frames) {
      if (f.frame.header.session() == session_uid) continue;
      const auto& parts = f.frame.header.parts;
      if (parts.empty() || parts.back().number > row.last_number) continue;  // never committed
      freed -= std::min(freed, f.frame.length);
      content += moved(seal_, file->bytes(), {row.name, f.offset}, seal_, {row.name, offset});
      if (f.frame.header.kind != FrameKind::evicted)
        rows_.add_frame(row.pk, offset, content.size() - offset, rows_.source_of(f.frame.header), f.frame.header);
      offset = content.size();
    }
  }
  content += seal_.encode(tombstone, {}, {row.name, offset});
  row.length = content.size();
  row.last_number = part.number;
  row.small_frames = 0;
  row.written_at = now;
  rows_.save(row);
  if (auto done = replace_file(path, 0, content); !done) throw ErrorException(done.error());
  return freed;
}

}  // namespace memd::raw
