#include "daemon/admin/status_reports.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/api_key.hpp"
#include "daemon/models/decision_judge.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/serving_index.hpp"
#include "daemon/tools/time_argument.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr int kMostTroubles = 20;

PlatformReport report(const PlatformTotals& t) {
  return {t,
          std::string(to_string(t.platform)),
          format_rfc3339(t.drift_at),
          {format_rfc3339(t.span.start), format_rfc3339(t.span.end)}};
}

// Parses a platform name. Empty text: no restriction.
Result<std::vector<Platform>> platforms_named(const std::string& name) {
  if (name.empty()) return std::vector<Platform>();
  const auto platform = parse_platform(name);
  if (!platform) return Error(Errc::invalid_argument, "platform: no such platform: " + name);
  return std::vector<Platform>{*platform};
}

// Sends the model a request now, because no worker of this process would have noticed a failure.
std::string trouble_of_preferred(MemoryHost& host, const embedding::Models& models) {
  const auto& preferred = models.choices.front();
  if (preferred.remote == nullptr) return {};
  if (const auto stored = host.readers().ask(EmbeddingModelsQuery{}))
    for (const auto& row : stored->models)
      if (row.name == preferred.embedder->model().name) preferred.remote->expect_dimension(row.dimension);
  const std::array<std::string_view, 1> text{"memory"};
  const auto vectors = preferred.embedder->embed(text, embedding::Purpose::query, {});
  return vectors ? std::string() : vectors.error().context;
}

std::string key_trouble(const SummariesConfig& config) {
  const auto key = provider::read_api_key({config.api_key_env, config.api_key_file, "summaries"});
  return key ? std::string() : key.error().context;
}

}  // namespace

Result<std::vector<PlatformReport>> platform_reports(MemoryHost& host) {
  MEMD_TRY_ASSIGN(const auto totals, host.readers().ask(PlatformTotalsQuery{}));
  std::vector<PlatformReport> out;
  for (const auto& t : totals)
    out.push_back(report(t));
  return out;
}

LedgerLine ledger_line(const CoverageEntry& e) {
  return {e.record_type, std::string(to_string(e.disposition)), e.reason, e.records, e.bytes};
}

Result<CoverageReport> coverage(MemoryHost& host, const CoverageParams& params) {
  MEMD_TRY_ASSIGN(const auto asked, platforms_named(params.platform));
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto rows, reader->ask(CoverageQuery{asked, params.by_source}));
  CoverageReport r;
  for (const auto& row : rows)
    r.coverage.push_back({ledger_line(row.entry), std::string(to_string(row.platform)), row.path});
  MEMD_TRY_ASSIGN(const auto totals, reader->ask(PlatformTotalsQuery{}));
  for (const auto& t : totals) {
    if (!asked.empty() && t.platform != asked.front()) continue;
    r.add(t);
  }
  return r;
}

TroubleReport trouble_report(const SourceTrouble& t) {
  return {std::string(to_string(t.platform)), t.path, std::string(to_string(t.state)), t.reason, t.failures,
          format_rfc3339(t.retry_at)};
}

std::vector<std::string> unread_places(const MemoryHost& host) {
  std::vector<std::string> out;
  for (const auto& place : host.discovery().unread_places())
    out.push_back(place.what + ". " + place.remedy);
  return out;
}

Result<SourcesReport> sources_report(MemoryHost& host) {
  MEMD_TRY_ASSIGN(const SourceHealth health, host.readers().ask(SourceHealthQuery{kMostTroubles}));
  SourcesReport r{health, {}};
  for (const auto& t : health.troubles) {
    TroubleReport& told = r.troubles.emplace_back(trouble_report(t));
    if (t.state == SourceState::active) told.state = "failing";
  }
  return r;
}

namespace {

// Returns the limit of a query; 0 asks for all rows.
int row_limit(std::int64_t asked) { return asked == 0 ? std::numeric_limits<int>::max() : static_cast<int>(asked); }

}  // namespace

Result<LogReport> log(MemoryHost& host, const LogParams& params) {
  IngestionLogQuery query;
  MEMD_TRY_ASSIGN(query.platforms, platforms_named(params.platform));
  if (!params.since.empty()) {
    MEMD_TRY_ASSIGN(query.since,
                    tools::parse_time_argument("since", params.since, tools::RangeEnd::since, host.clock()));
  }
  query.limit = row_limit(params.limit);
  MEMD_TRY_ASSIGN(const auto entries, host.readers().ask(query));
  LogReport r;
  for (const auto& e : entries)
    r.entries.push_back(
        {format_rfc3339(e.time), std::string(to_string(e.platform)), e.what, e.path, e.detail, e.bytes, e.events});
  return r;
}

Result<tools::DiagnosticsReport> diagnostics(MemoryHost& host, const tools::DiagnosticsParams& params) {
  DiagnosticQuery query;
  MEMD_TRY_ASSIGN(query.platforms, platforms_named(params.platform));
  query.limit = row_limit(params.limit);
  query.offset = static_cast<int>(params.offset);
  MEMD_TRY_ASSIGN(const auto list, host.readers().ask(query));
  return tools::diagnostics_report(list, host.clock().now());
}

Result<EnrichmentStatus> enrichment_status(MemoryHost& host) {
  EnrichmentStatus out;
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto state, reader->semantic_state());
  MEMD_TRY_ASSIGN(const auto backlog, reader->ask(EnrichmentBacklogQuery{}));
  const bool enabled = !host.semantic().models()->choices.empty();
  if (enabled) out.model = state.model.empty() ? host.semantic().models()->names().front() : state.model;
  out.becoming = state.next_model;
  out.exchanges = state.exchanges;
  out.pending_terms = backlog.terms;
  out.pending_vectors = enabled ? backlog.vectors : 0;
  out.vectors_mb = static_cast<double>(host.semantic().index()->memory()) / (1024.0 * 1024.0);
  if (host.enrichment() == nullptr) return out;
  const EnrichmentProgress p = host.enrichment()->progress();
  out.working = p.working;
  out.done = p.exchanges;
  out.exchanges_per_s = p.busy_seconds > 0 ? static_cast<double>(p.exchanges) / p.busy_seconds : 0;
  out.texts_embedded = p.texts;
  out.texts_refused = p.refused;
  out.trouble = p.trouble;
  out.retry_at = format_rfc3339(p.retry_at);
  return out;
}

Result<EnrichmentRun> enrich_now(MemoryHost& host, std::chrono::steady_clock::time_point deadline,
                                 mcp::ToolContext& context) {
  EnrichmentWorker& worker = *host.enrichment();
  if (const EnrichmentProgress p = worker.progress(); p.store_busy) return Error(Errc::store_busy, p.trouble);
  MEMD_TRY_ASSIGN(const auto before, host.readers().ask(EnrichmentBacklogQuery{}));
  const bool enabled = !host.semantic().models()->choices.empty();
  const auto total = static_cast<double>(enabled ? std::max(before.terms, before.vectors) : before.terms);
  const std::uint64_t done_before = worker.progress().exchanges;
  worker.include_unsettled(true);
  while (!worker.block_until_idle(100ms)) {
    const auto done = worker.progress().exchanges - done_before;
    context.progress(static_cast<double>(done), total, kEnriching);
    if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    // The worker's results cannot be stored, and it would not end before they are.
    if (std::string trouble = host.ingest()->trouble(); !trouble.empty()) return Error(Errc::store, std::move(trouble));
    if (worker.progress().store_busy) break;
    if (std::chrono::steady_clock::now() > deadline) break;
  }
  const EnrichmentProgress after = worker.progress();
  worker.include_unsettled(false);
  EnrichmentRun out;
  if (after.store_busy) return Error(Errc::store_busy, after.trouble);
  out.seconds = after.busy_seconds;
  out.exchanges = after.exchanges;
  out.trouble = after.trouble;
  MEMD_TRY_ASSIGN(const auto left, host.readers().ask(EnrichmentBacklogQuery{}));
  out.pending_terms = left.terms;
  out.pending_vectors = enabled ? left.vectors : 0;
  return out;
}

DoctorCheck check_embedding(MemoryHost& host) {
  const auto models = host.semantic().models();
  if (models->choices.empty())
    return {"embedding", "ok", "disabled in the configuration: searches go by words alone", ""};
  const auto status = enrichment_status(host);
  if (!status) return {"embedding", "problem", status.error().message(), "See what is said about the store."};
  const std::string trouble = host.enrichment() != nullptr ? status->trouble : trouble_of_preferred(host, *models);
  if (!trouble.empty())
    return {"embedding", "problem", trouble,
            fmt::format("Searches go on by words{}; the model is retried automatically.{}",
                        status->exchanges > 0 ? " and with the vectors there are" : "",
                        status->retry_at.empty() ? "" : " Next try: " + status->retry_at)};
  std::string detail = fmt::format("{}: {} turns have vectors", status->model, status->exchanges);
  if (status->pending_vectors > 0) detail += fmt::format(", {} wait", status->pending_vectors);
  if (!status->becoming.empty()) detail += ", becoming " + status->becoming;
  return {"embedding", "ok", std::move(detail), ""};
}

Result<SummariesStatus> summaries_status(const MemoryHost& host) {
  SummariesStatus out;
  const auto* summarizer = host.summarizer();
  if (summarizer == nullptr) return out;
  out.models = summarizer->models();
  out.daily_requests = summarizer->budget().requests;
  out.daily_tokens = summarizer->budget().tokens;
  MEMD_TRY_ASSIGN(auto report, summarizer->report());
  for (const auto& spent : report.today) {
    out.requests += spent.requests;
    out.failures += spent.failures;
    out.tokens += spent.tokens_in + spent.tokens_out;
  }
  out.answers = report.answers;
  out.trouble = std::move(report.trouble);
  return out;
}

std::optional<DecisionsStatus> decisions_status(const MemoryHost& host) {
  const llm::JudgeThread* judge = host.judge();
  if (judge == nullptr) return std::nullopt;
  return judge->progress();
}

DoctorCheck check_summaries(const MemoryHost& host) {
  if (host.summarizer() == nullptr)
    return {"summaries", "ok", "no language model is configured: they are made of the sessions' own sentences", ""};
  if (std::string trouble = key_trouble(host.settings().config.summaries); !trouble.empty())
    return {"summaries", "problem", std::move(trouble),
            "Until then summaries are made of the sessions' own sentences."};
  const auto status = summaries_status(host);
  if (!status)
    return {"summaries", "problem", status.error().message(),
            "No language model is asked while what it is asked cannot be written down."};
  std::string detail = fmt::format("{}: {} requests today, {} tokens, {} answers kept", status->models,
                                   status->requests, status->tokens, status->answers);
  if (status->trouble.empty()) return {"summaries", "ok", std::move(detail), ""};
  return {"summaries", "note", status->trouble + " (" + detail + ")",
          "Until then summaries are made of the sessions' own sentences."};
}

}  // namespace memd::admin
