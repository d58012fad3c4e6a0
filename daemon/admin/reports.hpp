#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "daemon/tools/capture.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/store_health.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The reports of `ingest`, `import`, `status`, `coverage`, `log`, `doctor` and `retention`. The JSON of the command
// line is made of these structs, so their names are stable. Plain values: one thread at a time.
namespace memd::admin {

struct Span {
  std::string start;  // RFC 3339; empty: none
  std::string end;
};

struct PlatformReport : PlatformCounts {
  std::string platform;
  std::string schema_drift;  // RFC 3339 of the newest diagnostic; empty: none
  Span span;
};

// Result of the enrichment that a command waited for.
struct EnrichmentRun {
  std::uint64_t exchanges = 0;
  double seconds = 0;
  std::int64_t pending_terms = 0;
  std::int64_t pending_vectors = 0;
  std::string trouble;
};

// Vectors of the second look that a command waited for.
struct SecondLookRun {
  std::uint64_t exchanges = 0;
  double seconds = 0;
  std::int64_t waiting = 0;
  std::string trouble;
};

struct IngestReport : StoredCounts {
  bool complete = true;
  std::int64_t unread = 0;
  std::string unread_why;
  std::vector<std::string> unread_places;  // Discovery::unread_places()
  double seconds = 0;
  double mb_per_s = 0;
  double peak_rss_mb = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t events_written = 0;
  std::optional<EnrichmentRun> enrichment;
  std::optional<SecondLookRun> second_look;
  std::vector<PlatformReport> platforms;
};

struct IngestParams {
  std::int64_t timeout_s = 3600;
  bool second_look = false;
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
  std::uint64_t sources_short = 0;
  std::string shortage;
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

// Progress of the vectors that the best hits of a search are ranked with once more.
struct SecondLookStatus {
  std::string turned_off_by;  // key of the configuration; empty: it is on
  std::string model;
  std::int64_t exchanges = 0;
  std::int64_t made = 0;
  std::int64_t waiting = 0;
  bool working = false;
  std::uint64_t done = 0;
  double busy_seconds = 0;
  std::string paused;
};

// Usage of language models for summaries, today in UTC.
struct SummariesStatus {
  std::string models;
  std::int64_t requests = 0;
  std::int64_t failures = 0;
  std::int64_t tokens = 0;
  std::int64_t daily_requests = 0;
  std::int64_t daily_tokens = 0;
  std::int64_t answers = 0;
  std::string trouble;
};

// Decisions judged by a language model in this process.
struct DecisionsStatus {
  std::int64_t waiting = 0;
  std::int64_t exchanges = 0;
  std::int64_t decisions = 0;
  std::int64_t not_said = 0;
  std::int64_t unreadable = 0;
  std::string trouble;
};

struct TroubleReport {
  std::string platform;
  std::string source;
  std::string state;
  std::string reason;
  std::int64_t failures = 0;
  std::string retry_at;  // RFC 3339; empty: at the next change
};

struct SourcesReport {
  std::int64_t active = 0;
  std::int64_t gone = 0;
  std::int64_t unreachable = 0;
  std::int64_t quarantined = 0;
  std::int64_t failing = 0;
  std::vector<TroubleReport> troubles;
};

struct DropReport {
  std::string session_id;
  std::string title;
  std::int64_t sessions = 1;
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::string ended;
  std::string due;
  std::string goes;
  std::string reason;
  std::uint64_t raw_bytes = 0;
};

// Totals of an eviction. Exchanges keep their first lines.
struct EvictionSum {
  std::int64_t sessions = 0;
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;
};

struct RetentionReport {
  std::int64_t max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
  std::vector<DropReport> drops;
  EvictionSum due;                     // totals of the drops that --apply makes now
  std::optional<EvictionSum> dropped;  // totals of the drops made now
  std::int64_t waiting = 0;
  std::string large_notice;
};

struct RetentionParams {
  bool apply = false;
  std::int64_t within_days = 30;
};

// State of the memory catalog.
struct MemoryCatalogReport {
  std::string state;  // valid, corrupted, rebuilding
  std::int64_t memories = 0;
  std::int64_t agent_files = 0;
  std::int64_t invalid = 0;
  std::vector<std::string> invalid_files;
  std::vector<std::string> unread;         // path and reason
  std::vector<std::string> stale_indexes;  // indexes that memd may not rewrite
  std::int64_t files = 0;
  std::string read_at;    // RFC 3339; empty: never
  std::string looked_at;  // likewise
  std::string reason;
  std::string built_at;  // RFC 3339; empty: never
  std::int64_t built_ms = 0;
  std::string trouble;
};

struct StatusReport {
  std::string version;
  // daemon | standalone | silent: a daemon runs and does not answer | none: no daemon runs. The last two still report
  // the store's figures.
  std::string role;
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
  SecondLookStatus second_look;
  SummariesStatus summaries;
  std::optional<DecisionsStatus> decisions;  // none: no model judges them
  SourcesReport sources;
  MemoryCatalogReport memories;
  std::optional<DropReport> next_drop;
  tools::CaptureAnswer capture;
  std::optional<StoreRebuildStatus> rebuild;
  std::vector<std::string> unread;         // platforms with existing storage of which nothing has been read yet
  std::vector<std::string> unread_places;  // Discovery::unread_places()
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

struct CoverageReport : SourceBytes {
  std::vector<CoverageLine> coverage;
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

struct DoctorParams {
  bool full = false;
  bool fix = false;
};

struct DoctorCheck {
  std::string name;
  std::string status;  // ok | note | problem
  std::string detail;
  std::string fix;  // empty: nothing to do
};

struct DoctorReport {
  bool ok = true;  // no problem among the checks
  std::vector<DoctorCheck> checks;
};

struct ImportParams {
  std::string path;
};

struct ImportReport {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_done = 0;  // less than bytes: the last line is not finished
  std::int64_t events = 0;       // new in the store, including those derived by memd
  std::int64_t known = 0;        // already in the store
};

// Returns the state of the second look in a sentence without its end.
std::string second_look_text(const SecondLookStatus& s);
std::string render_text(const MemoryCatalogReport& r);

}  // namespace memd::admin

namespace memd::mcp {

inline constexpr std::string_view kUnreadPlaces =
    "Places that seem to hold agents' data and are not read, with what to configure.";

template <>
struct Describe<admin::Span> {
  static constexpr auto fields = fields_of(field("start", &admin::Span::start, "First event, RFC 3339."),
                                           field("end", &admin::Span::end, "Last event, RFC 3339."));
};

template <>
struct Describe<admin::PlatformReport> {
  using T = admin::PlatformReport;
  static constexpr auto fields = fields_of(
      field("platform", &T::platform, "Platform key."), field("sources", &T::sources, "Files or databases read."),
      field("bytes_total", &T::bytes_total, "Size of the sources."),
      field("bytes_indexed", &T::bytes_indexed, "Bytes whose content is in the store."),
      field("bytes_skipped", &T::bytes_skipped, "Bytes left out for a named reason."),
      field("bytes_unknown", &T::bytes_unknown, "Bytes of unknown shape."),
      field("bytes_pending", &T::bytes_pending, "Bytes of unfinished last records."),
      field("sessions", &T::sessions, "Main sessions."),
      field("subagent_sessions", &T::subagent_sessions, "Sessions of subagents and workflow agents."),
      field("exchanges", &T::exchanges, "Exchanges of main sessions."),
      field("subagent_exchanges", &T::subagent_exchanges, "Exchanges of subagents."),
      field("events", &T::events, "Events."), field("diagnostics", &T::diagnostics, "Diagnostics not yet expired."),
      field("records", &T::records, "Records ingested."),
      field("unknown_records", &T::unknown_records, "Of these of unknown shape."),
      field("recent_records", &T::recent_records, "About the last 1,000 records ingested."),
      field("recent_unknown_records", &T::recent_unknown_records, "Of these of unknown shape."),
      field("schema_drift", &T::schema_drift, "When the platform was last seen to have changed its format; or empty."),
      field("span", &T::span, "Span of time."));
};

template <>
struct Describe<admin::TroubleReport> {
  using T = admin::TroubleReport;
  static constexpr auto fields = fields_of(
      field("platform", &T::platform, "Platform key."), field("source", &T::source, "Path."),
      field("state", &T::state, "failing, unreachable or quarantined."), field("reason", &T::reason, "In plain words."),
      field("failures", &T::failures, "Failed looks in a row."),
      field("retry_at", &T::retry_at, "When it is looked at again, RFC 3339."));
};

template <>
struct Describe<admin::SourcesReport> {
  using T = admin::SourcesReport;
  static constexpr auto fields =
      fields_of(field("active", &T::active, "Sources that are followed."),
                field("gone", &T::gone, "Deleted by their agent; what was read stays."),
                field("unreachable", &T::unreachable, "Their location cannot be read."),
                field("quarantined", &T::quarantined, "They failed repeatedly."),
                field("failing", &T::failing, "Of those that are followed: the last look failed."),
                field("troubles", &T::troubles, "The first of those that cannot be read."));
};

template <>
struct Describe<admin::EnrichmentRun> {
  using T = admin::EnrichmentRun;
  static constexpr auto fields = fields_of(
      field("exchanges", &T::exchanges, "Exchanges given vectors in this run, or terms if there is no model."),
      field("seconds", &T::seconds, "Spent on it."),
      field("pending_terms", &T::pending_terms, "Exchanges still without identifiers and topics."),
      field("pending_vectors", &T::pending_vectors, "Exchanges still without vectors of their text."),
      field("trouble", &T::trouble, "Why vectors could not be made; empty: nothing."));
};

template <>
struct Describe<admin::EnrichmentStatus> {
  using T = admin::EnrichmentStatus;
  static constexpr auto fields = fields_of(
      field("model", &T::model, "Whose vectors searches use; empty: disabled."),
      field("becoming", &T::becoming, "The model that replaces it while its vectors are made; empty: none."),
      field("exchanges", &T::exchanges, "With vectors of it."),
      field("pending_terms", &T::pending_terms, "Exchanges that wait for identifiers and topics."),
      field("pending_vectors", &T::pending_vectors, "Exchanges that wait for vectors of their text."),
      field("working", &T::working, "At work now."), field("done", &T::done, "Exchanges enriched since the start."),
      field("exchanges_per_s", &T::exchanges_per_s, "While it worked."),
      field("texts_embedded", &T::texts_embedded, "Since the start."),
      field("texts_refused", &T::texts_refused, "Since the start: they have no vector."),
      field("vectors_mb", &T::vectors_mb, "Vectors in memory, in MiB."),
      field("trouble", &T::trouble, "Why vectors cannot be made now; empty: nothing."),
      field("retry_at", &T::retry_at, "When it is tried again, RFC 3339."));
};

template <>
struct Describe<admin::SecondLookRun> {
  using T = admin::SecondLookRun;
  static constexpr auto fields = fields_of(
      field("exchanges", &T::exchanges, "Exchanges taken from the queue in this run."),
      field("seconds", &T::seconds, "Spent on it."), field("waiting", &T::waiting, "Exchanges that still wait."),
      field("trouble", &T::trouble, "Why they do; empty: time was up, or none does."));
};

template <>
struct Describe<admin::SecondLookStatus> {
  using T = admin::SecondLookStatus;
  static constexpr auto fields = fields_of(
      field("turned_off_by", &T::turned_off_by, "Key of the configuration that turns it off; empty: it is on."),
      field("model", &T::model, "The network that makes the vectors; empty: it is off."),
      field("exchanges", &T::exchanges, "Exchanges in the store."), field("made", &T::made, "Exchanges with a vector."),
      field("waiting", &T::waiting, "Exchanges whose vector is missing or of an older text."),
      field("working", &T::working, "At work now."),
      field("done", &T::done, "Exchanges taken from the queue since the start."),
      field("busy_seconds", &T::busy_seconds, "Spent on them."),
      field("paused", &T::paused, "Why exchanges wait although they could be taken; empty: none do."));
};

template <>
struct Describe<admin::SummariesStatus> {
  using T = admin::SummariesStatus;
  static constexpr auto fields =
      fields_of(field("models", &T::models, "Language models that may be asked; empty: none is configured."),
                field("requests", &T::requests, "Sent to them today, in UTC."),
                field("failures", &T::failures, "Among the requests."),
                field("tokens", &T::tokens, "Of today's requests and answers."),
                field("daily_requests", &T::daily_requests, "Allowed a day; 0: no limit."),
                field("daily_tokens", &T::daily_tokens, "Allowed a day; 0: no limit."),
                field("answers", &T::answers, "Kept, so that nothing is asked twice."),
                field("trouble", &T::trouble, "Why none can be asked now; empty: nothing."));
};

template <>
struct Describe<admin::DecisionsStatus> {
  using T = admin::DecisionsStatus;
  static constexpr auto fields = fields_of(
      field("waiting", &T::waiting, "Sessions that are analysed and not judged yet."),
      field("exchanges", &T::exchanges, "Judged by this process."), field("decisions", &T::decisions, "Found in them."),
      field("not_said", &T::not_said, "Items of answers that were dropped: nobody said what they quote."),
      field("unreadable", &T::unreadable, "Exchanges without a usable answer; their decisions stay as they were."),
      field("trouble", &T::trouble, "Why none are judged now; empty: nothing."));
};

template <>
struct Describe<admin::IngestReport> {
  using T = admin::IngestReport;
  static constexpr auto fields =
      fields_of(field("complete", &T::complete, "Each source that is there was read to its end."),
                field("unread", &T::unread, "Sources, or directories of them, that could not be read."),
                field("unread_why", &T::unread_why, "Why the first of them could not."),
                field("unread_places", &T::unread_places, kUnreadPlaces),
                field("sources", &T::sources, "Files or databases read."),
                field("bytes_total", &T::bytes_total, "indexed + skipped + unknown + pending."),
                field("bytes_indexed", &T::bytes_indexed, "Bytes whose content is in the store."),
                field("bytes_skipped", &T::bytes_skipped, "Bytes left out for a named reason."),
                field("bytes_unknown", &T::bytes_unknown, "Bytes of unknown shape."),
                field("bytes_pending", &T::bytes_pending, "Bytes of unfinished last records."),
                field("sessions", &T::sessions, "Main sessions."),
                field("subagent_sessions", &T::subagent_sessions, "Sessions of subagents."),
                field("events", &T::events, "Events in the store."),
                field("exchanges", &T::exchanges, "Exchanges of main sessions."),
                field("subagent_exchanges", &T::subagent_exchanges, "Exchanges of subagents."),
                field("diagnostics", &T::diagnostics, "Diagnostics not yet expired."),
                field("seconds", &T::seconds, "Wall clock of this run."),
                field("mb_per_s", &T::mb_per_s, "Bytes read in this run a second, in millions."),
                field("peak_rss_mb", &T::peak_rss_mb, "Largest resident set of the process, in MiB."),
                field("bytes_read", &T::bytes_read, "Bytes of sources read in this run."),
                field("events_written", &T::events_written, "Events new in this run."),
                field("enrichment", &T::enrichment, "Vectors and terms made afterwards, when no daemon makes them."),
                field("second_look", &T::second_look, "Vectors of the second look; absent: not asked for."),
                field("platforms", &T::platforms, "The same per platform."));
};

template <>
struct Describe<admin::IngestParams> {
  static constexpr auto fields =
      fields_of(field("timeout_s", &admin::IngestParams::timeout_s, "Seconds to wait for the end.", range(1, 86400)),
                field("second_look", &admin::IngestParams::second_look, "Make all vectors of the second look, too."));
};

template <>
struct Describe<admin::IngestStatus> {
  using T = admin::IngestStatus;
  static constexpr auto fields =
      fields_of(field("idle", &T::idle, "Nothing left to read."), field("sources", &T::sources, "Sources known."),
                field("sources_pending", &T::sources_pending, "Sources waiting to be looked at."),
                field("bytes_total", &T::bytes_total, "Size of the sources."),
                field("bytes_done", &T::bytes_done, "Bytes accounted for in the store."),
                field("current", &T::current, "Source being read."),
                field("events_written", &T::events_written, "Events written since the start."),
                field("commits", &T::commits, "Transactions since the start."),
                field("last_commit", &T::last_commit, "RFC 3339."), field("last_scan", &T::last_scan, "RFC 3339."),
                field("last_error", &T::last_error, "Why nothing new is stored; empty when all is well."),
                field("sources_short", &T::sources_short,
                      "Sources, or directories of them, that could not be read for lack of descriptors or memory."),
                field("shortage", &T::shortage, "What the system said to one of them."));
};

template <>
struct Describe<admin::DropReport> {
  using T = admin::DropReport;
  static constexpr auto fields = fields_of(
      field("session_id", &T::session_id, "Main session."), field("title", &T::title, "Its title."),
      field("sessions", &T::sessions, "Sessions that are dropped, subagents included."),
      field("exchanges", &T::exchanges, "Exchanges that keep their first lines only."),
      field("events", &T::events, "Events that are dropped; 0 where they are not counted."),
      field("ended", &T::ended, "Last event, RFC 3339."), field("due", &T::due, "When the limit is reached, RFC 3339."),
      field("goes", &T::goes, "When the daemon drops it, at least a week after it was announced. RFC 3339."),
      field("reason", &T::reason, "Why."), field("raw_bytes", &T::raw_bytes, "Bytes in the raw layer."));
};

template <>
struct Describe<admin::EvictionSum> {
  using T = admin::EvictionSum;
  static constexpr auto fields = fields_of(
      field("sessions", &T::sessions, "Sessions, subagents included."),
      field("exchanges", &T::exchanges, "Exchanges that keep their first lines only."),
      field("events", &T::events, "Events."), field("raw_bytes", &T::raw_bytes, "Bytes of records in the raw layer."));
};

template <>
struct Describe<admin::RetentionReport> {
  using T = admin::RetentionReport;
  static constexpr auto fields =
      fields_of(field("max_age_days", &T::max_age_days, "Limit in the configuration; 0: none."),
                field("max_raw_bytes", &T::max_raw_bytes, "Limit in the configuration; 0: none."),
                field("drops", &T::drops, "What is dropped in the period looked at, the earliest first."),
                field("due", &T::due, "What is past its limit now; --apply drops exactly this."),
                field("dropped", &T::dropped, "What was dropped now."),
                field("waiting", &T::waiting, "Sessions past a limit that stay until they are analysed."),
                field("large_notice", &T::large_notice,
                      "Why the daemon waits: more than a tenth of the history is due at once; or empty."));
};

template <>
struct Describe<admin::RetentionParams> {
  static constexpr auto fields =
      fields_of(field("apply", &admin::RetentionParams::apply, "Drop what is past its limit now."),
                field("within_days", &admin::RetentionParams::within_days, "Days to look ahead.", range(0, 36500)));
};

template <>
struct Describe<admin::MemoryCatalogReport> {
  using T = admin::MemoryCatalogReport;
  static constexpr auto fields = fields_of(
      field("state", &T::state, "valid, corrupted or rebuilding."),
      field("memories", &T::memories, "Memories that can be found."),
      field("agent_files", &T::agent_files, "Instructions and notes of agents."),
      field("invalid", &T::invalid, "Files that break a rule of their dialect; they are not found."),
      field("invalid_files", &T::invalid_files, "The first of them."),
      field("unread", &T::unread, "Files that could not be read, with the reason."),
      field("stale_indexes", &T::stale_indexes,
            "Each index.json that does not fit the memories beside it and is not memd's to change."),
      field("files", &T::files, "Files with a row."),
      field("read_at", &T::read_at, "When a file was read last, RFC 3339; empty: never."),
      field("looked_at", &T::looked_at, "When files were compared with rows last; empty: not by this process."),
      field("reason", &T::reason, "Why it was last rebuilt, or what is wrong with it."),
      field("built_at", &T::built_at, "When that was, RFC 3339; empty: never."),
      field("built_ms", &T::built_ms, "How long it took."),
      field("trouble", &T::trouble, "Why the rows do not match the files; empty: they do."));
};

template <>
struct Describe<admin::StatusReport> {
  using T = admin::StatusReport;
  static constexpr auto fields = fields_of(
      field("version", &T::version, "Version of memd."),
      field("role", &T::role, "daemon, standalone, silent when one does not answer, or none."),
      field("pid", &T::pid, "Process."), field("uptime_s", &T::uptime_s, "Seconds since the start."),
      field("data_dir", &T::data_dir, "Where the store is."),
      field("home", &T::home, "Where agents' storage is looked for."),
      field("socket", &T::socket, "Unix socket of the daemon."),
      field("connections", &T::connections, "Clients connected."),
      field("watcher", &T::watcher, "How changes are noticed."),
      field("store_bytes", &T::store_bytes, "Size of the store with its log."),
      field("raw_bytes", &T::raw_bytes, "Size of the raw layer."),
      field("next_drop", &T::next_drop, "What retention drops next, seven days ahead at least."),
      field("capture", &T::capture, "Whether what agents write is stored."),
      field("rss_mb", &T::rss_mb, "Resident set, in MiB."), field("ingest", &T::ingest, "What ingest is doing."),
      field("enrichment", &T::enrichment, "Progress of vectors and terms."),
      field("second_look", &T::second_look, "Progress of the vectors that the best hits are ranked with once more."),
      field("summaries", &T::summaries, "What language models were asked for summaries."),
      field("decisions", &T::decisions, "Judged by a language model; absent: none does."),
      field("sources", &T::sources, "Sources by state."),
      field("memories", &T::memories, "State of the catalog of memories."),
      field("rebuild", &T::rebuild,
            "The rebuild of the whole store that runs, or the last one of this daemon; absent: none."),
      field("unread", &T::unread, "Platforms whose storage is there and of which nothing has been read yet."),
      field("unread_places", &T::unread_places, kUnreadPlaces),
      field("platforms", &T::platforms, "What is in the store."));
};

template <>
struct Describe<admin::NoParams> {
  static constexpr auto fields = fields_of();
};

template <>
struct Describe<admin::CoverageParams> {
  static constexpr auto fields =
      fields_of(field("by_source", &admin::CoverageParams::by_source, "One line per source as well."),
                field("platform", &admin::CoverageParams::platform, "Only this platform."));
};

template <>
struct Describe<admin::CoverageLine> {
  using T = admin::CoverageLine;
  static constexpr auto fields = fields_of(
      field("platform", &T::platform, "Platform key."), field("source", &T::source, "Path; empty for all sources."),
      field("record_type", &T::record_type, "Type of record, as the agent names it."),
      field("disposition", &T::disposition, "indexed, skipped or unknown."),
      field("reason", &T::reason, "Why it was skipped."), field("records", &T::records, "Records."),
      field("bytes", &T::bytes, "Bytes."));
};

template <>
struct Describe<admin::CoverageReport> {
  using T = admin::CoverageReport;
  static constexpr auto fields =
      fields_of(field("coverage", &T::coverage, "The ledger."),
                field("bytes_total", &T::bytes_total, "indexed + skipped + unknown + pending."),
                field("bytes_indexed", &T::bytes_indexed, "Bytes whose content is in the store."),
                field("bytes_skipped", &T::bytes_skipped, "Bytes left out for a named reason."),
                field("bytes_unknown", &T::bytes_unknown, "Bytes of unknown shape."),
                field("bytes_pending", &T::bytes_pending, "Bytes of unfinished last records."));
};

template <>
struct Describe<admin::LogParams> {
  using T = admin::LogParams;
  static constexpr auto fields = fields_of(field("platform", &T::platform, "Only this platform."),
                                           field("since", &T::since, "From this time: 2026-02-09, 7d, yesterday, …"),
                                           field("limit", &T::limit, "How many entries; 0: all.", range(0, 1000000)));
};

template <>
struct Describe<admin::LogLine> {
  using T = admin::LogLine;
  static constexpr auto fields = fields_of(
      field("time", &T::time, "RFC 3339."), field("platform", &T::platform, "Platform key."),
      field("what", &T::what,
            "found, read, appended, restarted, gone, unreachable, back, quarantined, released, unsupported or drift."),
      field("source", &T::source, "Path; empty: the platform as a whole."),
      field("detail", &T::detail, "In plain words."), field("bytes", &T::bytes, "Ingested since the entry before."),
      field("events", &T::events, "Ingested since the entry before."));
};

template <>
struct Describe<admin::LogReport> {
  static constexpr auto fields = fields_of(field("entries", &admin::LogReport::entries, "Newest first."));
};

template <>
struct Describe<admin::DoctorParams> {
  using T = admin::DoctorParams;
  static constexpr auto fields =
      fields_of(field("full", &T::full, "Read all of the raw layer, not a sample."),
                field("fix", &T::fix, "Rebuild what searches read from the store's rows, if it is damaged."));
};
template <>
struct Describe<admin::DoctorCheck> {
  using T = admin::DoctorCheck;
  static constexpr auto fields =
      fields_of(field("name", &T::name, "What was looked at."), field("status", &T::status, "ok, note or problem."),
                field("detail", &T::detail, "What was found."), field("fix", &T::fix, "What to do about it."));
};

template <>
struct Describe<admin::DoctorReport> {
  using T = admin::DoctorReport;
  static constexpr auto fields =
      fields_of(field("ok", &T::ok, "No check found a problem."), field("checks", &T::checks, "The checks."));
};

template <>
struct Describe<admin::ImportParams> {
  static constexpr auto fields =
      fields_of(field("path", &admin::ImportParams::path, "Absolute path of the file.", required, length(1, 4096)));
};

template <>
struct Describe<admin::ImportReport> {
  using T = admin::ImportReport;
  static constexpr auto fields =
      fields_of(field("path", &T::path, "The file."), field("bytes", &T::bytes, "Its size."),
                field("bytes_done", &T::bytes_done, "Bytes accounted for."),
                field("events", &T::events, "Events that are new in the store, those memd concluded included."),
                field("known", &T::known, "Events that were in the store already."));
};

}  // namespace memd::mcp
