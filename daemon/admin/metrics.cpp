#include "daemon/admin/metrics.hpp"

#include "schemas/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace memd::admin {
namespace {

class MetricsText {
 public:
  // Writes a metric with one sample, or the head of a metric with several.
  template <class Number>
  void gauge(std::string_view name, std::string_view help, Number value) {
    head(name, help, "gauge");
    sample(name, {}, value);
  }
  template <class Number>
  void counter(std::string_view name, std::string_view help, Number value) {
    head(name, help, "counter");
    sample(name, {}, value);
  }
  void head(std::string_view name, std::string_view help, std::string_view type) {
    out_ += fmt::format("# HELP memd_{0} {1}\n# TYPE memd_{0} {2}\n", name, help, type);
  }
  template <class Number>
  void sample(std::string_view name, std::string_view labels, Number value) {
    out_ += fmt::format("memd_{}{} {}\n", name, labels, value);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Writes a label. Escapes quotes, backslashes and line breaks of the value; platform keys contain none.
std::string label(std::string_view name, std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return fmt::format("{{{}=\"{}\"}}", name, escaped);
}

// Converts to seconds since 1970; 0: unknown.
double seconds(std::string_view rfc3339) { return static_cast<double>(parse_rfc3339(rfc3339).value_or(0)) / 1000; }

template <class Member>
void of_platforms(MetricsText& out, const StatusReport& s, std::string_view name, std::string_view help,
                  Member member) {
  out.head(name, help, "gauge");
  for (const PlatformReport& p : s.platforms)
    out.sample(name, label("platform", p.platform), p.*member);
}

}  // namespace

std::string prometheus_text(const StatusReport& s) {
  MetricsText out;
  out.head("info", "Version of memd and what this process is.", "gauge");
  out.sample("info", fmt::format("{{version=\"{}\",role=\"{}\"}}", s.version, s.role), 1);
  out.gauge("uptime_seconds", "Since the daemon started; 0: none runs.", s.uptime_s);
  out.gauge("resident_bytes", "Memory of the daemon.", s.rss_mb * 1024 * 1024);
  out.gauge("connections", "Clients connected.", s.connections);
  out.gauge("store_bytes", "Size of the database with its log.", s.store_bytes);
  out.gauge("raw_layer_bytes", "Size of the original records.", s.raw_bytes);
  out.gauge("capture_paused", "1: what agents write is not stored.", s.capture.paused ? 1 : 0);
  if (s.ingest) {
    out.gauge("ingest_idle", "1: everything known is read.", s.ingest->idle ? 1 : 0);
    out.gauge("ingest_failing", "1: the store refuses what is written.", s.ingest->last_error.empty() ? 0 : 1);
    out.gauge("ingest_sources", "Sources known.", s.ingest->sources);
    out.gauge("ingest_sources_pending", "Sources with unread bytes.", s.ingest->sources_pending);
    out.gauge("ingest_bytes_pending", "Bytes to read.",
              s.ingest->bytes_total - std::min(s.ingest->bytes_total, s.ingest->bytes_done));
    out.counter("ingest_events_total", "Events written since the start.", s.ingest->events_written);
    out.counter("ingest_commits_total", "Transactions since the start.", s.ingest->commits);
    out.gauge("ingest_last_commit_seconds", "Time of the last commit; 0: none.", seconds(s.ingest->last_commit));
  }
  out.head("sources", "Sources by state.", "gauge");
  out.sample("sources", label("state", "active"), s.sources.active);
  out.sample("sources", label("state", "gone"), s.sources.gone);
  out.sample("sources", label("state", "unreachable"), s.sources.unreachable);
  out.sample("sources", label("state", "quarantined"), s.sources.quarantined);
  out.gauge("embedded_exchanges", "Turns that have vectors.", s.enrichment.exchanges);
  out.gauge("enrichment_pending", "Turns that wait for vectors.", s.enrichment.pending_vectors);
  out.gauge("enrichment_pending_terms", "Turns that wait for topics.", s.enrichment.pending_terms);
  out.gauge("second_look_exchanges", "Turns that have a vector of the second look.", s.second_look.made);
  out.gauge("second_look_pending", "Turns that wait for it.", s.second_look.waiting);
  out.gauge("vectors_bytes", "Vectors in memory.", s.enrichment.vectors_mb * 1024 * 1024);
  out.gauge("model_requests_today", "Asked of language models today (UTC).", s.summaries.requests);
  out.gauge("model_tokens_today", "Tokens of language models today (UTC).", s.summaries.tokens);
  of_platforms(out, s, "sessions", "Main sessions in the store.", &PlatformReport::sessions);
  of_platforms(out, s, "subagent_sessions", "Sessions of subagents.", &PlatformReport::subagent_sessions);
  of_platforms(out, s, "exchanges", "Turns of main sessions.", &PlatformReport::exchanges);
  of_platforms(out, s, "events", "Events in the store.", &PlatformReport::events);
  of_platforms(out, s, "source_bytes", "Bytes of sources.", &PlatformReport::bytes_total);
  of_platforms(out, s, "unknown_bytes", "Bytes of unknown shape.", &PlatformReport::bytes_unknown);
  of_platforms(out, s, "diagnostics", "Diagnostics of the last 30 days.", &PlatformReport::diagnostics);
  return out.take();
}

}  // namespace memd::admin
