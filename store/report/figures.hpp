#pragma once

#include "schemas/local_time.hpp"
#include "schemas/report.hpp"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd::report {

// The day of a time as a report tells it; 0: the time is not known.
inline TimeMs report_day(TimeMs time) { return time > 0 ? local_day(time) * kMsPerDay : 0; }

// What is summed up over sessions, in the order the report gives it.
struct Figures {
  using DayPlatform = std::pair<TimeMs, Platform>;
  using DayPlatformModel = std::tuple<TimeMs, Platform, std::string>;

  std::map<DayPlatform, DayActivity> activity;
  std::map<DayPlatformModel, DayUsage> usage;
  std::map<DayPlatformModel, DayCost> costs;
  std::map<std::pair<std::string, Platform>, ToolUse> tools;
  // By path and project, both as row ids.
  struct FileSums {
    std::int64_t reads = 0;
    std::int64_t edits = 0;
    std::int64_t mentions = 0;
    std::int64_t lines_added = 0;
    std::int64_t lines_removed = 0;
    std::int64_t sessions = 0;
    std::int64_t touches() const { return reads + edits + mentions; }
  };
  std::map<std::pair<std::int64_t, std::int64_t>, FileSums> files;
  std::unordered_map<std::string, std::size_t> followed;  // stems -> index into Report::topics
  std::map<std::pair<std::size_t, TimeMs>, std::int64_t> topic_days;
};

}  // namespace memd::report
