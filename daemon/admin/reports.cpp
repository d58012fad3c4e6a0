#include "daemon/admin/reports.hpp"

#include "schemas/harmless.hpp"

#include <fmt/format.h>

namespace memd::admin {
namespace {

std::string bytes(std::uint64_t n) {
  if (n < 10'000) return fmt::format("{} B", n);
  const double mb = static_cast<double>(n) / 1e6;
  return mb < 10'000 ? fmt::format("{:.1f} MB", mb) : fmt::format("{:.1f} GB", mb / 1000);
}

constexpr std::string_view kHowToRead =
    ": `memd ingest --once` reads it, and so does the daemon, which a client's first call starts";

std::string day(const std::string& rfc3339) { return rfc3339.empty() ? "-" : rfc3339.substr(0, 10); }

std::string taken(const EvictionSum& sum) {
  return fmt::format("{} sessions with the texts of {} exchanges, {} events and {} of the raw layer", sum.sessions,
                     sum.exchanges, sum.events, bytes(sum.raw_bytes));
}

std::string platform_table(const std::vector<PlatformReport>& platforms) {
  if (platforms.empty()) return "No history of any agent was found.\n";
  std::string out = fmt::format("{:<12} {:>8} {:>9} {:>10} {:>9} {:>10}  {}\n", "platform", "sessions", "subagents",
                                "exchanges", "events", "sources", "span");
  for (const auto& p : platforms)
    out += fmt::format("{:<12} {:>8} {:>9} {:>10} {:>9} {:>10}  {} … {}\n", p.platform, p.sessions, p.subagent_sessions,
                       p.exchanges, p.events, bytes(p.bytes_total), day(p.span.start), day(p.span.end));
  return out;
}

std::string ledger_line(std::uint64_t total, std::uint64_t indexed, std::uint64_t skipped, std::uint64_t unknown,
                        std::uint64_t pending) {
  return fmt::format("{} of sources: {} indexed, {} skipped for a named reason ({} pending), {} of unknown shape.\n",
                     bytes(total), bytes(indexed), bytes(skipped), bytes(pending), bytes(unknown));
}

std::string enrichment_lines(const EnrichmentRun& e) {
  std::string out;
  if (e.exchanges > 0)
    out += fmt::format("Made vectors and terms of {} exchanges in {:.2f} s ({:.0f}/s).\n", e.exchanges, e.seconds,
                       e.seconds > 0 ? static_cast<double>(e.exchanges) / e.seconds : 0.0);
  if (!e.trouble.empty())
    out +=
        fmt::format("{} exchanges are without vectors, searches go by words there: {}\n", e.pending_vectors, e.trouble);
  return out;
}

std::string second_look_lines(const SecondLookRun& s) {
  std::string out;
  if (s.exchanges > 0)
    out += fmt::format("Made vectors of the second look of {} exchanges in {:.2f} s ({:.0f}/s).\n", s.exchanges,
                       s.seconds, s.seconds > 0 ? static_cast<double>(s.exchanges) / s.seconds : 0.0);
  if (s.waiting > 0)
    out +=
        fmt::format("{} exchanges wait for the second look{}{}\n", s.waiting, s.trouble.empty() ? "" : ": ", s.trouble);
  return out;
}

std::string enrichment_lines(const EnrichmentStatus& e) {
  if (e.model.empty()) return "embedding disabled: searches go by words alone\n";
  std::string out =
      fmt::format("embedding with {}: {} exchanges have vectors, {} wait", e.model, e.exchanges, e.pending_vectors);
  if (!e.becoming.empty()) out += fmt::format(", becoming {}", e.becoming);
  if (e.pending_terms > 0) out += fmt::format("; {} wait for topics", e.pending_terms);
  if (e.working) out += fmt::format("; {:.0f}/s", e.exchanges_per_s);
  if (e.vectors_mb > 0) out += fmt::format("; {:.1f} MiB in memory", e.vectors_mb);
  out += '\n';
  if (e.texts_refused > 0) out += fmt::format("the model refused {} texts\n", e.texts_refused);
  if (!e.trouble.empty())
    out += fmt::format("no vectors can be made now: {}{}{}\n", e.trouble, e.retry_at.empty() ? "" : "; next try ",
                       e.retry_at);
  return out;
}

std::string limit(std::int64_t n) { return n == 0 ? std::string() : fmt::format(" of {}", n); }

std::string summaries_lines(const SummariesStatus& s) {
  if (s.models.empty()) return "no language model is configured: summaries are made of the sessions' own sentences\n";
  std::string out = fmt::format("summaries with {}: {}{} requests today, {}{} tokens", s.models, s.requests,
                                limit(s.daily_requests), s.tokens, limit(s.daily_tokens));
  if (s.failures > 0) out += fmt::format(", {} failed", s.failures);
  out += fmt::format("; {} answers kept\n", s.answers);
  if (!s.trouble.empty()) out += fmt::format("no language model is asked now: {}\n", s.trouble);
  return out;
}

std::string decisions_lines(const DecisionsStatus& d) {
  std::string out = fmt::format("decisions judged by the model: {} exchanges, {} decisions; {} sessions wait",
                                d.exchanges, d.decisions, d.waiting);
  if (d.not_said > 0) out += fmt::format(", {} dropped that nobody said", d.not_said);
  if (d.unreadable > 0) out += fmt::format(", {} exchanges without a usable answer", d.unreadable);
  out += '\n';
  if (!d.trouble.empty()) out += fmt::format("  not judged now, decisions are known by their form: {}\n", d.trouble);
  return out;
}

std::string unread_places_lines(const std::vector<std::string>& places) {
  std::string out;
  for (const std::string& place : places)
    out += fmt::format("not read: {}\n", harmless_line(place));
  return out;
}

}  // namespace

std::string render_text(const IngestReport& r) {
  std::string out = platform_table(r.platforms);
  out += ledger_line(r.bytes_total, r.bytes_indexed, r.bytes_skipped, r.bytes_unknown, r.bytes_pending);
  out += fmt::format("Read {} in {:.2f} s ({:.0f} MB/s), {} new events, peak memory {:.0f} MiB.\n", bytes(r.bytes_read),
                     r.seconds, r.mb_per_s, r.events_written, r.peak_rss_mb);
  if (r.diagnostics > 0) out += fmt::format("{} diagnostics.\n", r.diagnostics);
  if (!r.complete)
    out += fmt::format("NOT ALL WAS READ: {} {} could not be read; the first: {}\n", r.unread,
                       r.unread == 1 ? "source" : "sources", r.unread_why);
  out += unread_places_lines(r.unread_places);
  if (r.enrichment) out += enrichment_lines(*r.enrichment);
  if (r.second_look) out += second_look_lines(*r.second_look);
  return out;
}

std::string second_look_text(const SecondLookStatus& s) {
  if (!s.turned_off_by.empty()) return "off (" + s.turned_off_by + ")";
  std::string out = fmt::format("{} of {} exchanges", s.made, s.exchanges);
  if (s.waiting > 0) out += fmt::format(", {} waiting", s.waiting);
  if (!s.paused.empty()) out += " (paused: " + s.paused + ")";
  return out;
}

std::string render_text(const MemoryCatalogReport& r) {
  std::string out =
      fmt::format("The index of memories is {}: {} memories, {} files of agents", r.state, r.memories, r.agent_files);
  if (r.invalid > 0) out += fmt::format(", {} that break a rule", r.invalid);
  if (!r.unread.empty()) out += fmt::format(", {} that cannot be read", r.unread.size());
  if (!r.read_at.empty()) out += ", last read " + r.read_at;
  out += ".\n";
  for (const std::string& file : r.invalid_files)
    out += fmt::format("  breaks a rule: {}\n", harmless_line(file));
  for (const std::string& file : r.unread)
    out += fmt::format("  cannot be read: {}\n", harmless_line(file));
  for (const std::string& file : r.stale_indexes)
    out += fmt::format("  does not fit the memories beside it: {}\n", harmless_line(file));
  if (!r.built_at.empty() && r.state == "valid")
    out += fmt::format("Rebuilt {} in {} ms: {}.\n", r.built_at, r.built_ms, harmless_line(r.reason));
  else if (r.state != "valid" && !r.reason.empty())
    out += fmt::format("What is wrong: {}.\n", harmless_line(r.reason));
  if (!r.trouble.empty()) out += fmt::format("It does not match the files: {}\n", harmless_line(r.trouble));
  return out;
}

std::string render_text(const StatusReport& r) {
  std::string out;
  if (r.role == "none")
    out += fmt::format("memd {}: no daemon is running; these are the store's figures.\n", r.version);
  else if (r.role == "silent")
    out +=
        fmt::format("memd {}: the daemon on {} does not answer; these are the store's figures.\n", r.version, r.socket);
  else
    out += fmt::format("memd {} {} pid {} up {:.0f} s, {} connections, {:.0f} MiB\n", r.version, r.role, r.pid,
                       r.uptime_s, r.connections, r.rss_mb);
  out += fmt::format("data {} (store {}, raw layer {}), home {}\n", r.data_dir, bytes(r.store_bytes),
                     bytes(r.raw_bytes), r.home);
  if (r.next_drop)
    out += fmt::format(
        "retention: {} sessions are dropped on {} ({} of the raw layer), first {}: {}; memd retention shows all\n",
        r.next_drop->sessions, day(r.next_drop->goes), bytes(r.next_drop->raw_bytes),
        harmless_line(r.next_drop->session_id), harmless_line(r.next_drop->reason));
  if (!r.socket.empty()) out += fmt::format("socket {}\n", r.socket);
  if (!r.watcher.empty()) out += fmt::format("watching with {}\n", r.watcher);
  if (r.ingest) {
    const auto& i = *r.ingest;
    if (!i.last_error.empty())
      out += fmt::format("NOTHING NEW IS STORED: {} (it is retried)\n", harmless_line(i.last_error));
    else if (i.sources_short > 0)
      out += fmt::format("ingest: {} of {} sources could not be read: {}\n", i.sources_short, i.sources,
                         harmless_line(i.shortage));
    else
      out += i.idle ? fmt::format("ingest idle: {} sources up to date, last look {}\n", i.sources, i.last_scan)
                    : fmt::format("ingest: {} of {} done, {} sources waiting, now {}\n", bytes(i.bytes_done),
                                  bytes(i.bytes_total), i.sources_pending, harmless_line(i.current));
  }
  if (r.rebuild) out += rebuild_status_text(*r.rebuild) + "\n";
  if (r.capture.paused) out += tools::render_text(r.capture);
  out += enrichment_lines(r.enrichment);
  out += "second look: " + second_look_text(r.second_look) + "\n";
  out += summaries_lines(r.summaries);
  if (r.decisions) out += decisions_lines(*r.decisions);
  out += fmt::format("sources: {} followed, {} gone, {} unreachable, {} quarantined\n", r.sources.active,
                     r.sources.gone, r.sources.unreachable, r.sources.quarantined);
  if (r.sources.failing > 0) out += fmt::format("sources that cannot be read now: {}\n", r.sources.failing);
  for (const auto& t : r.sources.troubles)
    out += fmt::format("  {} {}: {} ({} failures{}{})\n", t.state, harmless_line(t.source), harmless_line(t.reason),
                       t.failures, t.retry_at.empty() ? "" : ", next look ", t.retry_at);
  out += render_text(r.memories);
  for (const auto& p : r.platforms)
    if (!p.schema_drift.empty())
      out += fmt::format("{} has changed its format ({}): {} of the last {} records are of unknown shape\n", p.platform,
                         day(p.schema_drift), p.recent_unknown_records, p.recent_records);
  if (!r.unread.empty())
    out += fmt::format("nothing has been read yet of {}{}\n", fmt::join(r.unread, ", "),
                       r.ingest ? ": it is being read" : kHowToRead);
  out += unread_places_lines(r.unread_places);
  if (r.platforms.empty() && !r.unread.empty()) return out;
  return out + platform_table(r.platforms);
}

std::string render_text(const LogReport& r) {
  if (r.entries.empty()) return "Nothing was logged in this time.\n";
  std::string out;
  for (const auto& e : r.entries) {
    out += fmt::format("{}  {:<12} {:<11}", e.time, e.platform, e.what);
    if (e.bytes > 0 || e.events > 0) out += fmt::format("  {}, {} events", bytes(e.bytes), e.events);
    if (!e.source.empty()) out += "  " + harmless_line(e.source);
    if (!e.detail.empty()) out += "  " + harmless_line(e.detail);
    out += '\n';
  }
  return out;
}

std::string render_text(const DoctorReport& r) {
  std::string out;
  std::size_t to_do = 0;
  for (const auto& c : r.checks) {
    out += fmt::format("{:<8} {:<14} {}\n", c.status, c.name, harmless_line(c.detail));
    if (!c.fix.empty()) out += fmt::format("{:<24}{}\n", "", harmless_line(c.fix));
    if (c.status == "note") ++to_do;
  }
  if (!r.ok) return out + "There are problems.\n";
  if (to_do == 0) return out + "All is well.\n";
  return out + fmt::format("No problems; {} {} above.\n", to_do, to_do == 1 ? "note" : "notes");
}

std::string render_text(const CoverageReport& r) {
  std::string out = fmt::format("{:<12} {:<24} {:<9} {:>9} {:>14}  {}\n", "platform", "record type", "fate", "records",
                                "bytes", "reason");
  for (const auto& c : r.coverage) {
    if (!c.source.empty()) out += harmless_line(c.source) + "\n";
    out += fmt::format("{:<12} {:<24} {:<9} {:>9} {:>14}  {}\n", c.platform, harmless_line(c.record_type),
                       c.disposition, c.records, c.bytes, harmless_line(c.reason));
  }
  return out + ledger_line(r.bytes_total, r.bytes_indexed, r.bytes_skipped, r.bytes_unknown, r.bytes_pending);
}

std::string render_text(const RetentionReport& r) {
  if (r.max_age_days == 0 && r.max_raw_bytes == 0)
    return "Everything is kept: no limit is set (retention.max_age_days, retention.max_raw_bytes).\n";
  std::string out;
  if (r.dropped) out += "Dropped: " + taken(*r.dropped) + ".\n";
  if (r.waiting > 0)
    out += fmt::format("{} {} past a limit and {} until the analysis is made.\n", r.waiting,
                       r.waiting == 1 ? "session is" : "sessions are", r.waiting == 1 ? "stays" : "stay");
  if (r.drops.empty()) return out + "Nothing is dropped in this period.\n";
  out += fmt::format("{:<10} {:<10} {:>8} {:>9} {:>9} {:>10}  {}\n", "goes", "ended", "sessions", "exchanges", "events",
                     "bytes", "session");
  for (const auto& d : r.drops)
    out += fmt::format("{:<10} {:<10} {:>8} {:>9} {:>9} {:>10}  {}  {}  ({})\n", day(d.goes), day(d.ended), d.sessions,
                       d.exchanges, d.events, bytes(d.raw_bytes), harmless_line(d.session_id), harmless_line(d.title),
                       harmless_line(d.reason));
  if (!r.large_notice.empty()) out += r.large_notice + "\n";
  if (r.due.sessions == 0) return out + "None of it is past its limit now: memd retention --apply drops nothing.\n";
  return out + "memd retention --apply drops now: " + taken(r.due) + ".\n" +
         "Titles, digests, decisions, files, commits and the first lines of each exchange stay.\n";
}

std::string render_text(const ImportReport& r) {
  return fmt::format("{}: {} events new, {} known already.\n", harmless_line(r.path), r.events, r.known);
}

}  // namespace memd::admin
