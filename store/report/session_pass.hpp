#pragma once

#include "schemas/base/time.hpp"
#include "schemas/query.hpp"
#include "schemas/report.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::report {

// Returns the local day of a time as used in the report; 0: unknown.
inline TimeMs report_day(TimeMs time) { return time > 0 ? local_day(time) * kMsPerDay : 0; }

// Sums over sessions, in the order of the report.
struct Figures {
  using DayPlatform = std::pair<TimeMs, Platform>;
  using DayPlatformModel = std::tuple<TimeMs, Platform, std::string>;

  std::map<DayPlatform, DayActivity> activity;
  std::map<DayPlatformModel, DayUsage> usage;
  std::map<std::pair<std::string, Platform>, ToolUse> tools;
  struct ProjectFile : FileSums {
    std::int64_t sessions = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, ProjectFile> files;  // by path and project, both as row ids
  std::unordered_map<std::string, std::size_t> followed;               // stems -> index into Report::topics
  std::map<std::pair<std::size_t, TimeMs>, std::int64_t> topic_days;
};

// The fields of a session that the pass uses.
struct SelectedSession {
  std::int64_t pk = 0;
  Platform platform{};
  bool main = true;
  std::int64_t project_pk = 0;  // 0: none
};

// Adds sessions one by one to the figures of a report. On the connection's thread; everything passed to it must outlive
// it. Throws ErrorException.
class SessionPass {
 public:
  SessionPass(sqlite::Database& db, const QueryFilter& filter, Report& report, Figures& figures)
      : db_(db), filter_(filter), report_(report), figures_(figures) {}

  // Fills `detail` with the report's details of the session; may be null.
  void add(const SelectedSession& session, ReportSession* detail);

 private:
  struct Exchange {
    ExchangeId id = 0;
    std::int64_t number = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
    TimeMs day = 0;
  };

  bool timed() const { return filter_.since > 0 || filter_.until > 0; }
  void read_exchanges(const SelectedSession& session, ReportSession* detail);
  void read_last_answer(ReportSession& detail);
  void read_files(const SelectedSession& session, ReportSession* detail);
  void read_events(const SelectedSession& session, ReportSession* detail);
  void read_decisions(const SelectedSession& session, ReportSession& detail);
  void read_topics(ReportSession* detail);

  sqlite::Database& db_;
  const QueryFilter& filter_;
  Report& report_;
  Figures& figures_;
  std::vector<Exchange> exchanges_;  // of the current session within the requested time, in order
};

}  // namespace memd::report
