#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/ids.hpp"
#include "schemas/session_row.hpp"
#include "schemas/store_health.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Figures of a part of the history, for a report. A day is a local day, given as the first millisecond of its date in
// UTC; day 0 stands for unknown times. Texts are as stored and may have any number of lines; the caller shortens and
// masks them.
namespace memd {

// Reports progress, in sessions. Called on the calling thread.
using ReportProgress = std::function<void(double done, double total)>;

struct ReportTurn {
  ExchangeId id = 0;
  TimeMs time = 0;
  std::string line;   // the title that it would give to a session without one
  std::string asked;  // start of the prompt
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
};

struct FileSums {
  std::int64_t reads = 0;
  std::int64_t edits = 0;
  std::int64_t mentions = 0;  // neither: the agent only named it
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::int64_t touches() const { return reads + edits + mentions; }
  void add(const FileSums& o) {
    reads += o.reads;
    edits += o.edits;
    mentions += o.mentions;
    lines_added += o.lines_added;
    lines_removed += o.lines_removed;
  }
};

struct ReportFile : FileSums {
  std::string path;
};

struct UsageSums {
  std::int64_t exchanges = 0;
  TokenUsage tokens;
  std::optional<double> usd;  // by ReportQuery::pricer; nullopt: nothing has a price
  std::int64_t unpriced_tokens = 0;
  std::optional<double> cost_usd;  // as calculated by the platform
};

struct TestSums {
  std::int64_t test_runs = 0;
  std::int64_t test_failures = 0;
  std::int64_t tests_unknown = 0;  // runs whose outcome is not known
  void add_run(RunOutcome outcome) {
    ++test_runs;
    test_failures += outcome == RunOutcome::failed;
    tests_unknown += outcome == RunOutcome::unknown;
  }
};

// All but the session itself is of the requested time.
struct ReportSession : UsageSums, TestSums {
  SessionRow session;
  bool evicted = false;  // the retention policy has deleted its texts
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::string goal;       // start of the first prompt
  std::string last_said;  // start of the last answer
  std::vector<std::string> decisions;
  std::vector<std::string> topics;  // most important first
  std::vector<ReportFile> files;    // modified ones first; the first dozen
  std::int64_t files_total = 0;
  std::vector<ReportTurn> turns;  // the first ones
};

// Activity of one day on one platform. Counts all sessions, including those not listed in detail.
struct DayActivity {
  TimeMs day = 0;
  Platform platform{};
  std::int64_t sessions = 0;  // with an exchange that day, subagents' not counted
  std::int64_t exchanges = 0;
  std::int64_t subagent_exchanges = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

// One row for each day, platform and model.
struct DayUsage : UsageSums {
  TimeMs day = 0;
  Platform platform{};
  std::string model;  // empty: the platform does not say
};

struct ToolUse {
  std::string tool;
  Platform platform{};
  std::int64_t calls = 0;
  std::int64_t errors = 0;    // calls whose result is an error
  std::int64_t answered = 0;  // calls with a result
};

struct FileActivity : ReportFile {
  std::string project;  // name; empty: none
  std::int64_t sessions = 0;
};

struct TopicDay {
  std::size_t topic = 0;  // index into Report::topics
  TimeMs day = 0;
  std::int64_t exchanges = 0;
};

struct DiagnosticCount {
  Platform platform{};
  std::string error_type;
  std::int64_t count = 0;
};

// A report, from one snapshot.
struct Report : TestSums {
  std::int64_t sessions = 0;  // main sessions that pass the filter
  std::int64_t subagent_sessions = 0;
  std::int64_t evicted_sessions = 0;
  std::int64_t exchanges = 0;  // of main sessions
  std::int64_t subagent_exchanges = 0;
  std::int64_t undated_exchanges = 0;     // of both
  TokenUsage tokens;                      // of all responses
  std::int64_t sessions_with_tokens = 0;  // of both
  std::int64_t sessions_with_cost = 0;
  std::int64_t files_total = 0;
  TimeRange span;  // of the exchanges

  std::vector<ReportSession> newest;  // by their end, newest first; subagents too
  std::vector<DayActivity> activity;  // in order of day and platform, as are the following
  std::vector<DayUsage> usage;
  std::vector<ToolUse> tools;       // called most first
  std::vector<FileActivity> files;  // touched most first
  std::vector<TopicCount> topics;   // most important first
  std::vector<TopicDay> topic_days;

  // Figures of all sources of the requested platforms; the rest of the filter does not apply.
  std::vector<PlatformTotals> totals;
  std::vector<PlatformFreshness> freshness;
  std::vector<CoverageRow> ledger;
  std::vector<DiagnosticCount> diagnostics;
  SourceHealth health;
  std::int64_t without_terms = 0;  // exchanges that wait for their topics to be made
};

}  // namespace memd
