#pragma once

#include "daemon/ingest/exclusion.hpp"
#include "daemon/ingest/look_schedule.hpp"
#include "daemon/ingest/silent_places.hpp"
#include "daemon/ingest/snapshot_pass.hpp"
#include "daemon/ingest/source_file.hpp"
#include "daemon/ingest/tailer.hpp"
#include "store/read/retention_plan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace memd {

struct IngestOptions {
  TailerLimits tailer;
  std::uint64_t commit_bytes = 128 << 20;             // of source data, while more is coming
  std::chrono::milliseconds commit_interval{250};     // at most, while more is coming
  std::chrono::milliseconds retry_after_error{1000};  // doubles up to 30 s
  BackOff back_off;                                   // for sources that cannot be read
  StatPath stat_path = memd::stat_path;
  RetentionPolicy retention;  // enforced once a day
  Exclusion exclusion;        // places that are not captured
  // For sources that are changed in place.
  SnapshotLimits snapshot;
  PassSchedule::Pause pass_pause;  // between the end of a pass and the next
  PassSchedule::Pause check_pause{std::chrono::seconds(1), std::chrono::minutes(10), 50};  // likewise for checks
  std::chrono::milliseconds busy_retry{20};                                                // doubles up to a second
  std::function<std::chrono::steady_clock::time_point()> steady_now = std::chrono::steady_clock::now;
  // For files that change without an event.
  FindFileSystem file_system = file_system_of;
  SilentPlaces::Pauses silent;
  // Between looks at everything, if something happens; an idle memd stays idle.
  std::chrono::milliseconds look_at_all_every{std::chrono::minutes(10)};
};

}  // namespace memd
