#include "adapters/snapshot/held_source.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <cstdlib>
#include <utility>

namespace memd::snapshot {

void HeldSource::Held::add_head(std::string json, std::uint64_t ledger_bytes, std::uint64_t version) {
  session.head = bytes.add(kHeadKey, std::move(json), ledger_bytes, version);
}

void HeldSource::Held::add(const std::string& key, std::string json, std::uint64_t ledger_bytes,
                           std::uint64_t version) {
  std::string name = key;
  for (int n = 2; bytes.has(name); ++n)
    name = key + "#" + std::to_string(n);
  session.items.push_back(bytes.add(name, std::move(json), ledger_bytes, version));
}

HeldSource::Held& HeldSource::add_session(const std::string& native_id, std::string session_uid) {
  const auto [it, is_new] = sessions_.try_emplace(native_id);
  if (is_new) order_.push_back(native_id);
  it->second.session.session_uid = std::move(session_uid);
  return it->second;
}

void HeldSource::note(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
                      std::uint64_t records) {
  for (CoverageEntry& line : rest_)
    if (line.record_type == type && line.disposition == disposition && line.reason == reason) {
      line.records += records;
      line.bytes += bytes;
      return;
    }
  rest_.push_back({std::string(type), disposition, std::string(reason), records, bytes});
}

std::string HeldSource::state_of(const std::string& path) const {
  const auto file = files_.stat(path);
  return file ? std::to_string(file->inode) + ":" + std::to_string(file->size) + "." + std::to_string(file->mtime_ns)
              : std::string();
}

Result<std::string> HeldSource::state() {
  std::string state = state_of(path_);
  if (state.empty()) return Error(Errc::not_found, path_);
  return state;
}

Result<std::string> HeldSource::bytes_of(const std::string&, const std::string&) {
  return Error(Errc::not_found, path_ + ": no such item any more");
}

Result<std::string> HeldSource::begin() {
  loaded_ = looked_ = false;
  order_.clear();
  sessions_.clear();
  rest_.clear();
  size_ = 0;
  MEMD_TRY_ASSIGN(std::string state, this->state());
  for (const std::string& file : beside_)
    state += "/" + state_of(file);
  looked_ = true;
  return state;
}

Result<void> HeldSource::load() {
  if (loaded_) return {};
  if (!looked_) MEMD_TRY(begin());
  looked_ = false;
  MEMD_TRY(read());
  loaded_ = true;
  return {};
}

Result<SnapshotReader::Plan> HeldSource::plan(const std::string& mark) {
  Plan plan;
  MEMD_TRY_ASSIGN(const std::string state, begin());
  const std::size_t size_at = state.size() + 1;
  if (mark.size() > size_at && mark.starts_with(state + " ")) {
    plan.mark = mark;
    plan.unchanged = true;
    plan.size = std::strtoull(mark.c_str() + size_at, nullptr, 10);
    return plan;
  }
  MEMD_TRY(load());
  std::uint64_t content = 0;
  const auto add = [&](const Item& item) {
    content = hash_combine(hash64(item.key, content), hash_combine(item.version, item.ledger_bytes));
  };
  for (const auto& [id, held] : sessions_) {
    if (held.session.head) add(*held.session.head);
    for (const Item& item : held.session.items)
      add(item);
  }
  const std::string ending = " " + std::to_string(content);
  plan.mark = state + " " + std::to_string(size_) + ending;
  plan.size = size_;
  if (!mark.ends_with(ending)) plan.sessions = order_;
  plan.rest = rest_;
  return plan;
}

Result<std::optional<SnapshotReader::Session>> HeldSource::session(const std::string& session_key,
                                                                   std::span<const SourceItem> known) {
  MEMD_TRY(load());
  const auto it = sessions_.find(session_key);
  if (it == sessions_.end()) return std::optional<Session>();
  Session session = it->second.session;
  compare(known, session);
  return std::optional(std::move(session));
}

Result<std::string> HeldSource::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  const auto it = sessions_.find(session_key);
  if (it == sessions_.end()) return Error(Errc::not_found, path_ + ": the session is gone");
  if (auto bytes = it->second.bytes.bytes(item_key)) return bytes;
  return bytes_of(session_key, item_key);
}

Result<void> SingleDocument::read() {
  MEMD_TRY_ASSIGN(const std::string text, files_.read(path_));
  size_ = text.size();
  const auto parts = split_session_uid(session_uid_);
  const bool blank = json::trimmed(text).empty() || !parts;
  if (!blank) add_session(std::string(parts->native_id), session_uid_).add_head(json::compacted(text), size_);
  note("(blank)", Disposition::skipped, "blank", blank ? size_ : 0, blank ? 1 : 0);
  return {};
}

}  // namespace memd::snapshot
