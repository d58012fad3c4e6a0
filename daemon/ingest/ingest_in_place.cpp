// The part of IngestService's reading thread that looks after sources that are changed in place.
#include "daemon/ingest/ingest_service.hpp"
#include "store/read/session_contents.hpp"

#include <algorithm>
#include <utility>

namespace memd {

Result<Tailer::Outcome> IngestService::look_at(Known& known) {
  const auto reader = known.adapter->open_snapshot(known.source, files_);
  if (!reader) return tailer_.next(known.source, *known.adapter);
  return look_in_place(known, *reader);
}

Result<Tailer::Outcome> IngestService::look_in_place(Known& known, SnapshotReader& reader) {
  const std::string path = known.source.path;
  // Given back only if it goes on: after an error, or whatever an adapter throws, it is dropped.
  auto pass = std::move(known.pass);
  if (!pass) {
    if (!may_begin_pass(known)) return Tailer::Outcome{};
    const auto items = [this, platform = known.source.platform, path](const std::string& uid) {
      return store_->ask(SessionItemsQuery{platform, path, uid});
    };
    SnapshotLimits limits = options_.snapshot;
    limits.raw = options_.tailer.raw;
    pass = std::make_unique<SnapshotPass>(*known.adapter, items, limits);
    known.slices_of_pass = 0;
    known.pass_took = {};
  }
  const auto began = options_.steady_now();
  auto outcome = pass->next(reader, known.source);
  const auto now = options_.steady_now();
  known.pass_took += now - began;
  if (!outcome) {
    if (!outcome.error().is(Errc::busy)) return outcome.error();
    passes_.busy(path, now);
    return Tailer::Outcome{};
  }
  ++known.slices_of_pass;
  if (outcome->more) {
    known.pass = std::move(pass);
  } else {
    passes_.ended(path, now, known.pass_took);
    // Hints that came in the meantime were taken for hints to read on.
    if (known.slices_of_pass > 1) passes_.again(path);
  }
  if (outcome->slice) {
    const std::lock_guard lock(mutex_);
    known.last_push = finished_ + in_flight_ + 1;
  }
  return Tailer::Outcome{std::move(outcome->slice), outcome->more};
}

// A pass compares with the store: what was read before has to be there.
bool IngestService::may_begin_pass(const Known& known) {
  const std::string& path = known.source.path;
  if (!passes_.may_begin(path, options_.steady_now())) return false;
  const std::lock_guard lock(mutex_);
  if (known.last_push <= finished_) return true;
  waiting_for_commit_[path] = known.last_push;
  return false;
}

// What was put off and may go on now.
void IngestService::add_due_passes() {
  for (const auto& path : passes_.take_due(options_.steady_now()))
    ring_.add(path);
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_for_commit_, [this](const auto& entry) {
    if (entry.second > finished_) return false;
    ring_.add(entry.first);
    return true;
  });
}

// mutex_ held.
bool IngestService::pass_is_due() const {
  const auto next = passes_.next();
  if (next && *next <= options_.steady_now()) return true;
  return std::any_of(waiting_for_commit_.begin(), waiting_for_commit_.end(),
                     [this](const auto& entry) { return entry.second <= finished_; });
}

}  // namespace memd
