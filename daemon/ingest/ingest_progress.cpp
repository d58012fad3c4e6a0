#include "daemon/ingest/ingest_progress.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/store_health.hpp"

#include <algorithm>
#include <map>

namespace memd {

IngestProgress::Seen& IngestProgress::seen(const Source& source) { return sources_[hash64(source.path)]; }

IngestSnapshot IngestProgress::snapshot() const {
  const std::lock_guard lock(mutex_);
  IngestSnapshot out = state_;
  out.sources = sources_.size();
  for (const auto& [hash, s] : sources_) {
    out.bytes_total += s.size;
    out.bytes_done += std::min(s.cursor, s.size);
  }
  return out;
}

std::string IngestProgress::trouble() const {
  const std::lock_guard lock(mutex_);
  return state_.last_error;
}

std::vector<PlatformFreshness> IngestProgress::freshness() const {
  const std::lock_guard lock(mutex_);
  if (freshness_) return *freshness_;
  std::map<Platform, PlatformFreshness> by_platform;
  for (const auto& [hash, s] : sources_) {
    PlatformFreshness& f = by_platform[s.platform];
    f.platform = s.platform;
    f.checked_at = checked_at_;
    ++f.sources;
    if (s.gone || s.cursor >= s.size) continue;
    ++f.sources_behind;
    f.bytes_behind += static_cast<std::int64_t>(s.size - s.cursor);
  }
  std::vector<PlatformFreshness> out;
  for (auto& [platform, f] : by_platform)
    out.push_back(f);
  freshness_ = out;
  return out;
}

std::optional<SourceProgress> IngestProgress::source(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto it = sources_.find(hash64(path));
  if (it == sources_.end()) return std::nullopt;
  return SourceProgress{it->second.size, it->second.cursor, it->second.events, it->second.duplicates};
}

void IngestProgress::applied(const Source& source, const ApplyStats& stats) {
  const std::lock_guard lock(mutex_);
  freshness_.reset();
  Seen& s = seen(source);
  s.events += stats.events;
  s.duplicates += static_cast<std::uint32_t>(stats.duplicates);
}

void IngestProgress::saw(const Source& source, TimeMs now) {
  const std::lock_guard lock(mutex_);
  freshness_.reset();
  Seen& s = seen(source);
  s.platform = source.platform;
  s.size = source.size;
  s.gone = source.state == SourceState::gone;
  checked_at_ = now;
}

void IngestProgress::committed(const Source& source) {
  const std::lock_guard lock(mutex_);
  freshness_.reset();
  Seen& s = seen(source);
  s.platform = source.platform;
  s.size = std::max(s.size, source.size);
  s.cursor = source.cursor;
}

void IngestProgress::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  freshness_.reset();
  sources_.erase(hash64(path));
}

void IngestProgress::reset_sources() {
  const std::lock_guard lock(mutex_);
  freshness_.reset();
  sources_.clear();
}

}  // namespace memd
