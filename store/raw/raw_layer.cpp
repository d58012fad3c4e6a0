#include "store/raw/raw_layer.hpp"

#include "store/raw/raw_file.hpp"
#include "store/raw/raw_recovery.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

namespace memd::raw {
namespace fs = std::filesystem;

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

}  // namespace memd::raw
