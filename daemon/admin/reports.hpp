#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "daemon/tools/capture.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/session_row.hpp"
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

struct IngestStatus : IngestFigures {
  std::uint64_t events_written = 0;
  std::string last_commit;
  std::string last_scan;
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

struct TroubleReport {
  std::string platform;
  std::string source;
  std::string state;
  std::string reason;
  std::int64_t failures = 0;
  std::string retry_at;  // RFC 3339; empty: at the next change
};

TroubleReport trouble_report(const SourceTrouble& trouble);

struct SourcesReport : SourceStates {
  std::vector<TroubleReport> troubles;
};

struct DropReport : SessionRemoval {
  std::int64_t sessions = 1;
  std::string ended;
  std::string due;
  std::string goes;
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
std::string what_it_holds(const MemoryCatalogReport& report);  // "3 memories, 1 file of agents"

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

// A CoverageEntry as reported.
struct LedgerLine {
  std::string record_type;
  std::string disposition;
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};
LedgerLine ledger_line(const CoverageEntry& entry);

struct CoverageLine : LedgerLine {
  std::string platform;
  std::string source;
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

// An agent that was found here: by its history, or by its program.
struct DoctorAgent {
  std::string agent;
  std::string name;
  bool has_history = false;
  std::optional<bool> has_program;  // nullopt: memd cannot register with it
  std::string version;              // the newest that its sessions tell
  std::int64_t sessions = 0;
  std::int64_t turns = 0;
  std::string read_since;
  std::string last_turn;
  std::optional<bool> is_registered;
  std::optional<bool> has_hooks;  // nullopt: memd has none for it
  std::vector<std::string> missing;
};

struct DoctorReport {
  bool ok = true;  // no problem among the checks
  std::vector<DoctorCheck> checks;
  std::vector<DoctorAgent> agents;
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

inline constexpr std::string_view kUnreadPlaces =
    "Places that seem to hold agents' data and are not read, with what to configure.";

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::Span, field<&admin::Span::start>("First event, RFC 3339."),
              field<&admin::Span::end>("Last event, RFC 3339."));

MEMD_DESCRIBE(memd::admin::PlatformReport, field<&T::platform>(), field<&T::sources>("Files or databases read."),
              field<&T::bytes_total>(), field<&T::bytes_indexed>("Bytes whose content is in the store."),
              field<&T::bytes_skipped>("Bytes left out for a named reason."), field<&T::bytes_unknown>(),
              field<&T::bytes_pending>("Bytes of unfinished last records."), field<&T::sessions>(),
              field<&T::subagent_sessions>("Sessions of subagents and workflow agents."),
              field<&T::exchanges>("Turns of main sessions."), plain<&T::subagent_exchanges, &T::events>(),
              field<&T::diagnostics>("Diagnostics not yet expired."), field<&T::records>(),
              field<&T::unknown_records>("Of these of unknown shape."),
              field<&T::recent_records>("About the last 1,000 records ingested."),
              field<&T::recent_unknown_records>("Of these of unknown shape."),
              field<&T::schema_drift>("When the platform was last seen to have changed its format; or empty."),
              field<&T::span>());

MEMD_DESCRIBE(memd::admin::TroubleReport, plain<&T::platform, &T::source>(),
              field<&T::state>("failing, unreachable or quarantined."), field<&T::reason>("In plain words."),
              field<&T::failures>("Failed looks in a row."),
              field<&T::retry_at>("When it is looked at again, RFC 3339."));

MEMD_DESCRIBE(memd::admin::SourcesReport, field<&T::active>("Sources that are followed."),
              field<&T::gone>("Deleted by their agent; what was read stays."),
              field<&T::unreachable>("Their location cannot be read."),
              field<&T::quarantined>("They failed repeatedly."),
              field<&T::failing>("Of those that are followed: the last look failed."),
              field<&T::troubles>("The first of those that cannot be read."));

MEMD_DESCRIBE(memd::admin::EnrichmentRun,
              field<&T::exchanges>("Turns given vectors in this run, or terms if there is no model."),
              field<&T::seconds>(), field<&T::pending_terms>("Turns still without identifiers and topics."),
              field<&T::pending_vectors>("Turns still without vectors of their text."),
              field<&T::trouble>("Why vectors could not be made; empty: nothing."));

MEMD_DESCRIBE(memd::admin::EnrichmentStatus, field<&T::model>("Whose vectors searches use; empty: disabled."),
              field<&T::becoming>("The model that replaces it while its vectors are made; empty: none."),
              field<&T::exchanges>("With vectors of it."),
              field<&T::pending_terms>("Turns that wait for identifiers and topics."),
              field<&T::pending_vectors>("Turns that wait for vectors of their text."),
              field<&T::working>("At work now."), field<&T::done>("Turns enriched since the start."),
              field<&T::exchanges_per_s>("While it worked."), field<&T::texts_embedded>("Since the start."),
              field<&T::texts_refused>("Since the start: they have no vector."),
              field<&T::vectors_mb>("Vectors in memory, in MiB."),
              field<&T::trouble>("Why vectors cannot be made now; empty: nothing."),
              field<&T::retry_at>("When it is tried again, RFC 3339."));

MEMD_DESCRIBE(memd::admin::SecondLookRun, field<&T::exchanges>("Turns taken from the queue in this run."),
              field<&T::seconds>(), field<&T::waiting>("Turns that still wait."),
              field<&T::trouble>("Why they do; empty: time was up, or none does."));

MEMD_DESCRIBE(memd::admin::SecondLookStatus,
              field<&T::turned_off_by>("Key of the configuration that turns it off; empty: it is on."),
              field<&T::model>("The network that makes the vectors; empty: it is off."), field<&T::exchanges>(),
              field<&T::made>("Turns with a vector."),
              field<&T::waiting>("Turns whose vector is missing or of an older text."),
              field<&T::working>("At work now."), field<&T::done>("Turns taken from the queue since the start."),
              field<&T::busy_seconds>(),
              field<&T::paused>("Why turns wait although they could be taken; empty: none do."));

MEMD_DESCRIBE(memd::admin::SummariesStatus,
              field<&T::models>("Language models that may be asked; empty: none is configured."),
              field<&T::requests>("Sent to them today, in UTC."), field<&T::failures>("Among the requests."),
              field<&T::tokens>("Of today's requests and answers."),
              field<&T::daily_requests>("Allowed a day; 0: no limit."),
              field<&T::daily_tokens>("Allowed a day; 0: no limit."),
              field<&T::answers>("Kept, so that nothing is asked twice."),
              field<&T::trouble>("Why none can be asked now; empty: nothing."));

MEMD_DESCRIBE(memd::DecisionsStatus, field<&T::waiting>("Sessions that are analysed and not judged yet."),
              field<&T::exchanges>("Judged by this process."), field<&T::decisions>(),
              field<&T::not_said>("Items of answers that were dropped: nobody said what they quote."),
              field<&T::unreadable>("Turns without a usable answer; their decisions stay as they were."),
              field<&T::trouble>("Why none are judged now; empty: nothing."));

MEMD_DESCRIBE(memd::admin::IngestReport, field<&T::complete>("Each source that is there was read to its end."),
              field<&T::unread>("Sources, or directories of them, that could not be read."),
              field<&T::unread_why>("Why the first of them could not."), field<&T::unread_places>(admin::kUnreadPlaces),
              field<&T::sources>("Files or databases read."),
              field<&T::bytes_total>("indexed + skipped + unknown + pending."),
              field<&T::bytes_indexed>("Bytes whose content is in the store."),
              field<&T::bytes_skipped>("Bytes left out for a named reason."), field<&T::bytes_unknown>(),
              field<&T::bytes_pending>("Bytes of unfinished last records."),
              plain<&T::sessions, &T::subagent_sessions, &T::events>(), field<&T::exchanges>("Turns of main sessions."),
              field<&T::subagent_exchanges>(), field<&T::diagnostics>("Diagnostics not yet expired."),
              field<&T::seconds>("Wall clock of this run."),
              field<&T::mb_per_s>("Bytes read in this run a second, in millions."),
              field<&T::peak_rss_mb>("Largest resident set of the process, in MiB."),
              field<&T::bytes_read>("Bytes of sources read in this run."),
              field<&T::events_written>("Events new in this run."),
              field<&T::enrichment>("Vectors and terms made afterwards, when no daemon makes them."),
              field<&T::second_look>("Vectors of the second look that were made now."), field<&T::platforms>());

MEMD_DESCRIBE(memd::admin::IngestParams,
              field<&admin::IngestParams::timeout_s>("Seconds to wait for the end.", range(1, 86400)),
              field<&admin::IngestParams::second_look>("Make all vectors of the second look, too."));

MEMD_DESCRIBE(memd::admin::IngestStatus, field<&T::idle>("Nothing left to read."), field<&T::sources>(),
              field<&T::sources_pending>("Sources waiting to be looked at."), field<&T::bytes_total>(),
              field<&T::bytes_done>("Bytes accounted for in the store."), field<&T::current>(),
              field<&T::events_written>("Events written since the start."),
              field<&T::commits>("Transactions since the start."), field<&T::last_commit>("RFC 3339."),
              field<&T::last_scan>("RFC 3339."),
              field<&T::last_error>("Why nothing new is stored; empty when all is well."),
              field<&T::sources_short>(
                  "Sources, or directories of them, that could not be read for lack of descriptors or memory."),
              field<&T::shortage>("What the system said to one of them."));

MEMD_DESCRIBE(memd::admin::DropReport, field<&T::session_id>("Main session."), field<&T::title>(),
              field<&T::sessions>("Sessions that are dropped, subagents included."),
              field<&T::exchanges>("Turns that keep their first lines only."),
              field<&T::events>("Events that are dropped; 0 where they are not counted."),
              field<&T::ended>("Last event, RFC 3339."), field<&T::due>("When the limit is reached, RFC 3339."),
              field<&T::goes>("When the daemon drops it, at least a week after it was announced. RFC 3339."),
              plain<&T::reason, &T::raw_bytes>());

MEMD_DESCRIBE(memd::admin::EvictionSum, field<&T::sessions>("Sessions, subagents included."),
              field<&T::exchanges>("Turns that keep their first lines only."), field<&T::events>(),
              field<&T::raw_bytes>("Bytes of records in the original records."));

MEMD_DESCRIBE(
    memd::admin::RetentionReport, field<&T::max_age_days>("Limit in the configuration; 0: none."),
    field<&T::max_raw_bytes>("Limit in the configuration; 0: none."),
    field<&T::drops>("What is dropped in the period looked at, the earliest first."),
    field<&T::due>("What is past its limit now; --apply drops exactly this."), field<&T::dropped>(),
    field<&T::waiting>("Sessions past a limit that stay until they are analysed."),
    field<&T::large_notice>("Why the daemon waits: more than a tenth of the history is due at once; or empty."));

MEMD_DESCRIBE(memd::admin::RetentionParams, field<&admin::RetentionParams::apply>("Drop what is past its limit now."),
              field<&admin::RetentionParams::within_days>("Days to look ahead.", range(0, 36500)));

MEMD_DESCRIBE(
    memd::admin::MemoryCatalogReport, field<&T::state>("valid, corrupted or rebuilding."),
    field<&T::memories>("Memories that can be found."), field<&T::agent_files>("Instructions and notes of agents."),
    field<&T::invalid>("Files that break a rule of their dialect; they are not found."), field<&T::invalid_files>(),
    field<&T::unread>("Files that could not be read, with the reason."),
    field<&T::stale_indexes>("Each index.json that does not fit the memories beside it and is not memd's to change."),
    field<&T::files>(), field<&T::read_at>("When a file was read last, RFC 3339; empty: never."),
    field<&T::looked_at>("When files were compared with rows last; empty: not by this process."),
    field<&T::reason>("Why it was last rebuilt, or what is wrong with it."),
    field<&T::built_at>("When that was, RFC 3339; empty: never."), field<&T::built_ms>(),
    field<&T::trouble>("Why the rows do not match the files; empty: they do."));

MEMD_DESCRIBE(
    memd::admin::StatusReport, field<&T::version>(),
    field<&T::role>("daemon, standalone, silent when one does not answer, or none."), field<&T::pid>(),
    field<&T::uptime_s>("Seconds since the start."), field<&T::data_dir>(),
    field<&T::home>("Where agents' storage is looked for."), field<&T::socket>("Unix socket of the daemon."),
    field<&T::connections>(), field<&T::watcher>("How changes are noticed."),
    field<&T::store_bytes>("Size of the store with its log."), field<&T::raw_bytes>(),
    field<&T::next_drop>("What retention drops next, seven days ahead at least."),
    field<&T::capture>("Whether what agents write is stored."), field<&T::rss_mb>("Resident set, in MiB."),
    field<&T::ingest>(), field<&T::enrichment>("Progress of vectors and terms."),
    field<&T::second_look>("Progress of the vectors that the best hits are ranked with once more."),
    field<&T::summaries>("What language models were asked for summaries."),
    field<&T::decisions>("Judged by a language model; absent: none does."), field<&T::sources>(),
    field<&T::memories>("State of the catalog of memories."),
    field<&T::rebuild>("The rebuild of the whole store that runs, or the last one of this daemon; absent: none."),
    field<&T::unread>("Platforms whose storage is there and of which nothing has been read yet."),
    field<&T::unread_places>(admin::kUnreadPlaces), field<&T::platforms>());

MEMD_DESCRIBE(memd::admin::NoParams);

MEMD_DESCRIBE(memd::admin::CoverageParams, field<&admin::CoverageParams::by_source>("One line per source as well."),
              field<&admin::CoverageParams::platform>("Only this platform."));

MEMD_DESCRIBE(memd::admin::LedgerLine, field<&T::record_type>("Type of record, as the agent names it."),
              field<&T::disposition>("indexed, skipped or unknown."), plain<&T::reason, &T::records, &T::bytes>());

MEMD_DESCRIBE(memd::admin::CoverageLine, field<&T::platform>(), field<&T::source>("Path; empty for all sources."),
              kFieldsOf<admin::LedgerLine>);

MEMD_DESCRIBE(memd::admin::CoverageReport, field<&T::coverage>(),
              field<&T::bytes_total>("indexed + skipped + unknown + pending."),
              field<&T::bytes_indexed>("Bytes whose content is in the store."),
              field<&T::bytes_skipped>("Bytes left out for a named reason."), field<&T::bytes_unknown>(),
              field<&T::bytes_pending>("Bytes of unfinished last records."));

MEMD_DESCRIBE(memd::admin::LogParams, field<&T::platform>("Only this platform."),
              field<&T::since>("From this time: 2026-02-09, 7d, yesterday, …"),
              field<&T::limit>("How many entries; 0: all.", range(0, 1000000)));

MEMD_DESCRIBE(
    memd::admin::LogLine, field<&T::time>("RFC 3339."), field<&T::platform>(),
    field<&T::what>(
        "found, read, appended, restarted, gone, unreachable, back, quarantined, released, unsupported or drift."),
    field<&T::source>("Path; empty: the platform as a whole."), field<&T::detail>("In plain words."),
    field<&T::bytes>("Ingested since the entry before."), field<&T::events>("Ingested since the entry before."));

MEMD_DESCRIBE(memd::admin::LogReport, field<&admin::LogReport::entries>("Newest first."));

MEMD_DESCRIBE(memd::admin::DoctorParams, field<&T::full>("Read all original records, not a sample."),
              field<&T::fix>("Rebuild what searches read from the store's rows, if it is damaged."));
MEMD_DESCRIBE(memd::admin::DoctorCheck, field<&T::name>(), field<&T::status>("ok, note or problem."),
              field<&T::detail>(), field<&T::fix>("What to do about it."));

MEMD_DESCRIBE(memd::admin::DoctorAgent, field<&T::agent>("The agent's key."), field<&T::name>(),
              field<&T::has_history>("Files of its sessions were found."),
              field<&T::has_program>("Its program or configuration was found; absent: memd cannot register with it."),
              field<&T::version>("The newest that its sessions tell."), field<&T::sessions>("Sub-agents left out."),
              field<&T::turns>(), field<&T::read_since>("When memd read the first of its turns."),
              field<&T::last_turn>("When its last turn ended."), field<&T::is_registered>("memd is among its servers."),
              field<&T::has_hooks>("It runs memd when a session starts; absent: memd has no hook for it."),
              field<&T::missing>("server, hook, skill, history, or why its configuration cannot be read."));

MEMD_DESCRIBE(memd::admin::DoctorReport, field<&T::ok>("No check found a problem."), field<&T::checks>(),
              field<&T::agents>("Those found here."));

MEMD_DESCRIBE(memd::admin::ImportParams,
              field<&admin::ImportParams::path>("Absolute path of the file.", required, length(1, 4096)));

MEMD_DESCRIBE(memd::admin::ImportReport, plain<&T::path, &T::bytes>(), field<&T::bytes_done>("Bytes accounted for."),
              field<&T::events>("Events that are new in the store, those memd concluded included."),
              field<&T::known>("Events that were in the store already."));
