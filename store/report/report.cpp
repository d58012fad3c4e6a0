#include "store/report/report.hpp"

#include "store/db/rows.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/report/session_pass.hpp"
#include "store/search/topic_index.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace memd {
namespace report {
namespace {

constexpr int kTroubles = 50;
constexpr std::size_t kSessionsAStep = 16;  // sessions per progress step

struct Selected : SelectedSession {
  bool evicted = false;
};

// Returns the sessions in the order of list_sessions().
std::vector<Selected> select(sqlite::Database& db, const QueryFilter& filter) {
  static const std::string sql =
      "SELECT s.session_pk, s.platform, s.kind, coalesce(s.project_pk, 0),"
      " s.evicted_at IS NOT NULL FROM sessions s WHERE " +
      std::string(queries::kSessionConditions) +
      " AND (?5 = 0 OR s.ended_at >= ?5) AND (?6 = 0 OR s.started_at < ?6) AND " + std::string(queries::kHasWords) +
      " ORDER BY s.ended_at DESC, s.session_pk DESC";
  const auto c = queries::conditions_of(db, filter);
  auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, filter.since, filter.until);
  std::vector<Selected> out;
  while (q.step()) {
    Selected& s = out.emplace_back();
    s.pk = q.int64(0);
    s.platform = queries::platform_of(q.text(1));
    s.main = static_cast<SessionKind>(q.int64(2)) == SessionKind::main;
    sqlite::read_from(q, 3, s.project_pk, s.evicted);
  }
  return out;
}

template <class Map, class Row>
void take_rows(Map& from, std::vector<Row>& to) {
  to.reserve(from.size());
  for (auto& [key, row] : from)
    to.push_back(std::move(row));
}

// Returns whether a path that agents named as a file is a directory, because other paths are below it.
bool is_directory(sqlite::Database& db, std::string_view path) {
  if (path.ends_with('/')) return true;
  auto& below = db.prepare("SELECT 1 FROM paths WHERE path >= ?1 AND path < ?2 LIMIT 1");
  const std::string first = std::string(path) + "/";
  const std::string behind = std::string(path) + "0";  // '0' follows '/'
  return below.bind(first, behind).any();
}

void take_files(sqlite::Database& db, const Figures& figures, int most, Report& report) {
  using Entry = decltype(figures.files)::value_type;
  std::vector<const Entry*> order;
  for (const Entry& entry : figures.files)
    order.push_back(&entry);
  report.files_total = static_cast<std::int64_t>(order.size());
  const auto wanted = static_cast<std::size_t>(std::max(most, 0));
  const auto count = std::min(order.size(), 2 * wanted);  // some are directories
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [](const Entry* a, const Entry* b) {
                      return std::tuple(-a->second.touches(), -a->second.edits, a->first) <
                             std::tuple(-b->second.touches(), -b->second.edits, b->first);
                    });
  auto& q = db.prepare(
      "SELECT path, coalesce((SELECT name FROM projects WHERE project_pk = ?2), '') FROM paths WHERE path_pk = ?1");
  for (std::size_t i = 0; i < count && report.files.size() < wanted; ++i) {
    const auto& [key, sums] = *order[i];
    if (!q.bind(key.first, key.second).step() || is_directory(db, q.text(0))) continue;
    report.files.push_back({{sums, q.str(0)}, q.str(1), sums.sessions});
  }
}

void take_store_facts(sqlite::Database& db, const QueryFilter& filter, Report& report) {
  const auto asked = [&](Platform p) {
    const auto& only = filter.platforms;
    return !filter.no_platform && (only.empty() || std::find(only.begin(), only.end(), p) != only.end());
  };
  const auto keep_asked = [&](auto rows) {
    std::erase_if(rows, [&](const auto& row) { return !asked(row.platform); });
    return rows;
  };
  report.totals = keep_asked(PlatformTotalsQuery{}.run(db));
  report.freshness = keep_asked(PlatformFreshnessQuery{}.run(db));
  report.ledger = keep_asked(CoverageQuery{filter.platforms}.run(db));
  report.health = SourceHealthQuery{kTroubles}.run(db);
  report.health.troubles = keep_asked(std::move(report.health.troubles));
  report.without_terms = EnrichmentBacklogQuery{}.run(db).terms;
  auto& q = db.query(
      "SELECT platform, error_type, count(*) FROM diagnostics GROUP BY platform, error_type"
      " ORDER BY count(*) DESC, platform, error_type");
  report.diagnostics = keep_asked(q.all(sqlite::fields_of<DiagnosticCount>));
}

// Usage is of the day of each response, of all sessions: those without words, too.
void count_usage(sqlite::Database& db, const ReportQuery& query, Report& report, Figures& figures) {
  std::unordered_map<std::int64_t, ReportSession*> details;
  for (ReportSession& detail : report.newest)
    details[detail.session.pk] = &detail;
  std::set<std::int64_t> with_tokens;
  std::set<std::int64_t> with_cost;
  for_each_response(db, query.filter, [&](const ResponseRow& r) {
    const std::optional<double> usd = query.pricer ? query.pricer(r) : std::nullopt;
    const auto add = [&](auto& to) {
      to.tokens += r.tokens;
      if (usd)
        to.usd = to.usd.value_or(0) + *usd;
      else
        to.unpriced_tokens += r.tokens.total();
      if (r.facts.cost_usd) to.cost_usd = to.cost_usd.value_or(0) + *r.facts.cost_usd;
    };
    const TimeMs day = report_day(r.time);
    DayUsage& usage = figures.usage[{day, r.session->platform, std::string(r.model)}];
    usage.day = day;
    usage.platform = r.session->platform;
    usage.model = r.model;
    add(usage);
    report.tokens += r.tokens;
    if (!(r.tokens == TokenUsage())) with_tokens.insert(r.session->pk);
    if (r.facts.cost_usd) with_cost.insert(r.session->pk);
    if (const auto detail = details.find(r.session->pk); detail != details.end()) add(*detail->second);
  });
  report.sessions_with_tokens = static_cast<std::int64_t>(with_tokens.size());
  report.sessions_with_cost = static_cast<std::int64_t>(with_cost.size());
}

}  // namespace

}  // namespace report

Report ReportQuery::run(sqlite::Database& db) const {
  using namespace report;
  Report out;
  Figures figures;
  for (auto& session : SessionListQuery{filter, detailed_sessions, 0}.run(db).sessions)
    out.newest.emplace_back().session = std::move(session);
  out.topics = TopicListQuery{filter, topics, 0}.run(db).topics;
  for (std::size_t i = 0; i < out.topics.size(); ++i)
    figures.followed.emplace(out.topics[i].stems, i);

  const auto sessions = select(db, filter);
  SessionPass pass(db, filter, out, figures);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (progress && i % kSessionsAStep == 0) progress(static_cast<double>(i), static_cast<double>(sessions.size()));
    ReportSession* detail = i < out.newest.size() ? &out.newest[i] : nullptr;
    if (detail != nullptr) detail->evicted = sessions[i].evicted;
    ++(sessions[i].main ? out.sessions : out.subagent_sessions);
    out.evicted_sessions += sessions[i].evicted;
    pass.add(sessions[i], detail);
  }
  count_usage(db, *this, out, figures);
  take_rows(figures.activity, out.activity);
  take_rows(figures.usage, out.usage);
  take_rows(figures.tools, out.tools);
  std::stable_sort(out.tools.begin(), out.tools.end(),
                   [](const ToolUse& a, const ToolUse& b) { return a.calls > b.calls; });
  for (const auto& [key, exchanges] : figures.topic_days)
    out.topic_days.push_back({key.first, key.second, exchanges});
  take_files(db, figures, files, out);
  take_store_facts(db, filter, out);
  return out;
}

}  // namespace memd
