// What IngestService makes of sources that cannot be read. Reading thread.
#include "daemon/ingest/ingest_service.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace memd {
namespace {

constexpr int kWitnesses = 16;

}  // namespace

// A source that failed is left alone for a while, whatever is hinted. One that was only out of reach is not: the hint
// may say that it is back.
bool IngestService::must_wait(const Known& known) const {
  const Source& s = known.source;
  return s.failures > 0 && s.state != SourceState::unreachable && clock_.now() < s.retry_at;
}

void IngestService::lost(Known& known, const Error& error, const std::stop_token& stop) {
  Source& source = known.source;
  const std::string path = source.path;
  if (error.is(Errc::busy)) return retries_.set(path, clock_.now() + options_.back_off.first);
  const Discovery::Root* root = discovery_.root_of(path);
  const auto is_same_place = [this](const std::filesystem::path& directory) { return has_witness(directory); };
  Verdict verdict = judge_absence(source, error, root != nullptr ? root->path : std::filesystem::path("/"),
                                  options_.look_at_path, is_same_place);
  if (verdict.state == SourceState::gone) {
    retries_.cancel(path);
    if (source.id == 0) {
      progress_.forget(path);
      known_.erase(path);
      return;
    }
    if (source.state == SourceState::gone) return;
    source.failures = 0;
    source.retry_at = 0;
  } else {
    const bool unreachable = verdict.state == SourceState::unreachable;
    // Being out of reach and failing are different things, and each is counted for itself.
    if (unreachable != (source.state == SourceState::unreachable)) source.failures = 0;
    source.failures = std::min(source.failures + 1, 1'000'000u);
    if (!unreachable && source.failures >= options_.back_off.quarantine_after) verdict.state = SourceState::quarantined;
    source.retry_at = clock_.now() + options_.back_off.delay(source.failures);
    retries_.set(path, source.retry_at);
  }
  if (source.size == 0) {  // never read: all of it is late
    std::error_code ec;
    const auto size = std::filesystem::file_size(path, ec);
    if (!ec) source.size = size;
  }
  source.state = verdict.state;
  source.state_reason = std::move(verdict.reason);
  source.id = std::max<SourceId>(source.id, 1);
  progress_.saw(source, clock_.now());
  SourceSlice slice;
  slice.source = source;
  if (known.adapter != nullptr) slice.adapter_version = known.adapter->describe().adapter_version;
  push(std::move(slice), 0, stop);
}

// Whether some source known below the directory is still there, the same file as when it was read.
bool IngestService::has_witness(const std::filesystem::path& directory) const {
  int tries = 0;
  for (auto it = known_.lower_bound(directory.string()); it != known_.end(); ++it) {
    if (!is_inside(it->first, directory)) {
      if (!it->first.starts_with(directory.native())) break;
      continue;
    }
    const SourceIdentity& was = it->second.source.identity;
    if (was.inode == 0 || it->second.source.state != SourceState::active) continue;
    const PathLook now = options_.look_at_path(it->first);
    if (now.error == 0 && now.inode == was.inode) return true;
    if (++tries == kWitnesses) break;
  }
  return false;
}

void IngestService::add_due_retries() {
  for (const auto& path : retries_.take_due(clock_.now()))
    if (known_.contains(path)) ring_.add(path);
}

// When something is to be looked at again without a hint.
std::optional<std::chrono::nanoseconds> IngestService::time_to_next_look() const {
  std::optional<std::chrono::nanoseconds> wait;
  if (const auto pass = passes_.next()) wait = *pass - options_.steady_now();
  if (const auto retry = retries_.next()) {
    const std::chrono::milliseconds left(*retry - clock_.now());
    wait = wait ? std::min<std::chrono::nanoseconds>(*wait, left) : left;
  }
  if (wait) wait = std::max(*wait, std::chrono::nanoseconds(0));
  return wait;
}

// An adapter that throws has met input that nobody thought of: that is the source's failure and nobody else's.
Result<Tailer::Outcome> IngestService::try_to_look_at(Known& known) {
  const Source before = known.source;
  auto outcome = [&]() -> Result<Tailer::Outcome> {
    try {
      return look_at(known);
    } catch (const std::exception& e) {
      known.pass.reset();
      return Error(Errc::io, std::string("reading it failed: ") + e.what());
    }
  }();
  if (!outcome) known.source = before;
  return outcome;
}

}  // namespace memd
