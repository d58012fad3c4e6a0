#pragma once

#include "schemas/report.hpp"
#include "store/db/database.hpp"
#include "store/report/figures.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace memd::report {

// A session as the pass needs it.
struct SelectedSession {
  std::int64_t pk = 0;
  Platform platform{};
  bool main = true;
  std::int64_t project_pk = 0;  // 0: none
};

// Reads one session after the other into the figures of a report. Throws ErrorException.
class SessionPass {
 public:
  SessionPass(sqlite::Database& db, const QueryFilter& filter, Report& report, Figures& figures)
      : db_(db), filter_(filter), report_(report), figures_(figures) {}

  // `detail`: where what is told of the session itself goes; null: nowhere.
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
  void read_topics(ReportSession* detail);

  sqlite::Database& db_;
  const QueryFilter& filter_;
  Report& report_;
  Figures& figures_;
  std::vector<Exchange> exchanges_;  // of the session at hand that are in the time asked for, in order
};

}  // namespace memd::report
