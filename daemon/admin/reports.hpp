#pragma once

#include "protocol/mcp/describe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What `ingest`, `status`, `coverage`, `log`, `doctor` and `retention` report. The command line's JSON is these
// structs: stable names.
namespace memd::admin {

struct Span {
  std::string start;  // RFC 3339, empty when there is nothing
  std::string end;
};

struct PlatformReport {
  std::string platform;
  std::int64_t sources = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t bytes_indexed = 0;
  std::uint64_t bytes_skipped = 0;
  std::uint64_t bytes_unknown = 0;
  std::uint64_t bytes_pending = 0;
  std::int64_t sessions = 0;
  std::int64_t subagent_sessions = 0;
  std::int64_t exchanges = 0;
  std::int64_t subagent_exchanges = 0;
  std::int64_t events = 0;
  std::int64_t diagnostics = 0;
  std::int64_t records = 0;
  std::int64_t unknown_records = 0;
  std::int64_t recent_records = 0;
  std::int64_t recent_unknown_records = 0;
  std::string schema_drift;  // RFC 3339 of the newest diagnostic; empty: none
  Span span;
};

// What was made of exchanges after they were read, before the command ended.
struct EnrichmentRun {
  std::uint64_t exchanges = 0;
  double seconds = 0;
  std::int64_t pending_terms = 0;
  std::int64_t pending_vectors = 0;
  std::string trouble;
};

struct IngestReport {
  std::int64_t sources = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t bytes_indexed = 0;
  std::uint64_t bytes_skipped = 0;
  std::uint64_t bytes_unknown = 0;
  std::uint64_t bytes_pending = 0;
  std::int64_t sessions = 0;
  std::int64_t subagent_sessions = 0;
  std::int64_t events = 0;
  std::int64_t exchanges = 0;
  std::int64_t subagent_exchanges = 0;
  std::int64_t diagnostics = 0;
  double seconds = 0;
  double mb_per_s = 0;
  double peak_rss_mb = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t events_written = 0;
  std::optional<EnrichmentRun> enrichment;
  std::vector<PlatformReport> platforms;
};

struct IngestParams {
  std::int64_t timeout_s = 3600;
};

struct IngestStatus {
  bool idle = true;
  std::uint64_t sources = 0;
  std::uint64_t sources_pending = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t bytes_done = 0;
  std::string current;
  std::uint64_t events_written = 0;
  std::uint64_t commits = 0;
  std::string last_commit;
  std::string last_scan;
  std::string last_error;
};

struct EnrichmentStatus {
  std::string model;
  std::string becoming;
  std::int64_t exchanges = 0;
  std::int64_t pending_terms = 0;
  std::int64_t pending_vectors = 0;
  bool working = false;
  std::uint64_t done = 0;
  double exchanges_per_s = 0;
  std::uint64_t texts_embedded = 0;
  std::uint64_t texts_refused = 0;
  double vectors_mb = 0;
  std::string trouble;
  std::string retry_at;
};

struct SummariesStatus {  // by language models; of today in UTC
  std::string models;
  std::int64_t requests = 0;
  std::int64_t failures = 0;
  std::int64_t tokens = 0;
  std::int64_t daily_requests = 0;
  std::int64_t daily_tokens = 0;
  std::int64_t answers = 0;
  std::string trouble;
};

struct TroubleReport {
  std::string platform;
  std::string source;
  std::string state;
  std::string reason;
  std::int64_t failures = 0;
  std::string retry_at;  // RFC 3339, empty: at the next change
};

struct SourcesReport {
  std::int64_t active = 0;
  std::int64_t gone = 0;
  std::int64_t unreachable = 0;
  std::int64_t quarantined = 0;
  std::vector<TroubleReport> troubles;
};

struct DropReport {
  std::string session_id;
  std::string title;
  std::int64_t sessions = 1;
  std::string ended;
  std::string due;
  std::string reason;
  std::uint64_t raw_bytes = 0;
};

struct RetentionReport {
  std::int64_t max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
  std::vector<DropReport> drops;
  std::uint64_t raw_bytes = 0;  // of all drops
  std::int64_t dropped_sessions = 0;
  std::uint64_t dropped_bytes = 0;
};

struct RetentionParams {
  bool apply = false;
  std::int64_t within_days = 30;
};

struct StatusReport {
  std::string version;
  std::string
      role;  // daemon | standalone | silent (does not answer) | none (none runs); of both figures are the store's
  std::int64_t pid = 0;
  double uptime_s = 0;
  std::string data_dir;
  std::string home;
  std::string socket;
  std::int64_t connections = 0;
  std::string watcher;
  std::uint64_t store_bytes = 0;
  double rss_mb = 0;
  std::uint64_t raw_bytes = 0;
  std::optional<IngestStatus> ingest;
  EnrichmentStatus enrichment;
  SummariesStatus summaries;
  SourcesReport sources;
  std::optional<DropReport> next_drop;
  std::vector<PlatformReport> platforms;
};

struct NoParams {};

struct CoverageParams {
  bool by_source = false;
  std::string platform;
};

struct CoverageLine {
  std::string platform;
  std::string source;
  std::string record_type;
  std::string disposition;
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

struct CoverageReport {
  std::vector<CoverageLine> coverage;
  std::uint64_t bytes_total = 0;
  std::uint64_t bytes_indexed = 0;
  std::uint64_t bytes_skipped = 0;
  std::uint64_t bytes_unknown = 0;
  std::uint64_t bytes_pending = 0;
};

struct LogParams {
  std::string platform;
  std::string since;
  std::int64_t limit = 50;
};

struct LogLine {
  std::string time;  // RFC 3339
  std::string platform;
  std::string what;
  std::string source;
  std::string detail;
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
};

struct LogReport {
  std::vector<LogLine> entries;  // newest first
};

struct DoctorCheck {
  std::string name;
  std::string status;  // ok | note | problem
  std::string detail;
  std::string fix;  // empty when there is nothing to do
};

struct DoctorReport {
  bool ok = true;  // no problem among the checks
  std::vector<DoctorCheck> checks;
};

std::string render_text(const LogReport& r);
std::string render_text(const DoctorReport& r);
std::string render_text(const IngestReport& r);
std::string render_text(const StatusReport& r);
std::string render_text(const CoverageReport& r);
std::string render_text(const RetentionReport& r);

}  // namespace memd::admin
