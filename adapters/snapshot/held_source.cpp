#include "adapters/snapshot/held_source.hpp"

#include <utility>

namespace memd::snapshot {

void HeldSource::Held::add(const std::string& key, std::string json, std::uint64_t ledger_bytes) {
  std::string name = key;
  for (int n = 2; bytes.has(name); ++n)
    name = key + "#" + std::to_string(n);
  session.items.push_back(bytes.add(name, std::move(json), ledger_bytes));
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

Result<std::string> HeldSource::state() const {
  std::string state = state_of(path_);
  if (state.empty()) return Error(Errc::not_found, path_);
  return state;
}

Result<void> HeldSource::load() {
  if (loaded_) return {};
  MEMD_TRY(read());
  loaded_ = true;
  return {};
}

Result<SnapshotReader::Plan> HeldSource::plan(const std::string& mark) {
  Plan plan;
  MEMD_TRY_ASSIGN(plan.mark, state());
  for (const std::string& file : beside_)
    plan.mark += "/" + state_of(file);
  if (plan.mark == mark) {
    plan.unchanged = true;
    if (const auto file = files_.stat(path_)) plan.size = file->size;
    return plan;
  }
  MEMD_TRY(load());
  plan.size = size_;
  plan.sessions = order_;
  plan.rest = rest_;
  return plan;
}

Result<std::optional<SnapshotReader::Session>> HeldSource::session(const std::string& session_key,
                                                                   std::span<const SourceItem> /*known*/) {
  MEMD_TRY(load());
  const auto it = sessions_.find(session_key);
  if (it == sessions_.end()) return std::optional<Session>();
  return std::optional(it->second.session);
}

Result<std::string> HeldSource::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  const auto it = sessions_.find(session_key);
  if (it == sessions_.end()) return Error(Errc::not_found, path_ + ": the session is gone");
  return it->second.bytes.bytes(item_key);
}

}  // namespace memd::snapshot
