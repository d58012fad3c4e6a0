#include "daemon/usage/usage_report.hpp"

#include "schemas/base/time.hpp"
#include "store/reader.hpp"

namespace memd::usage {
namespace {

// The rows and the limits of one snapshot.
struct Figures {
  UsageAnswer usage;
  std::vector<KnownLimit> limits;
};
struct FiguresQuery {
  const UsageQuery& usage;

  using Answer = Figures;
  Figures run(sqlite::Database& db) const { return {usage.run(db), RateLimitQuery().run(db)}; }
};

UsageRowOut row_out(const UsageRow& row) {
  UsageRowOut out;
  static_cast<UsageLine&>(out) = row;
  if (row.start > 0) out.date = format_local_minute(row.start).substr(0, 10);
  if (row.platform) out.agent = to_string(*row.platform);
  out.input_tokens = row.tokens.input;
  out.output_tokens = row.tokens.output;
  out.cache_creation_5m_tokens = row.tokens.cache_creation - row.tokens.cache_creation_1h;
  out.cache_creation_1h_tokens = row.tokens.cache_creation_1h;
  out.cache_read_tokens = row.tokens.cache_read;
  out.reasoning_tokens = row.tokens.reasoning;
  out.lower_bound = row.unfinished > 0;
  out.subagent_tokens = row.subagent_tokens.total();
  out.account_tokens = row.account_tokens.total();
  return out;
}

}  // namespace

bool is_over_time(UsageBy by) {
  return by == UsageBy::day || by == UsageBy::week || by == UsageBy::month || by == UsageBy::block ||
         by == UsageBy::day_model;
}

Result<UsageReport> usage_report(Reader& reader, const UsageQuestion& question, const PriceTable& prices) {
  const UsageQuery query{question.filter, question.by, pricer(prices)};
  MEMD_TRY_ASSIGN(const Figures figures, reader.ask(FiguresQuery{query}));
  UsageReport out;
  out.by = to_string(question.by);
  for (const UsageRow& row : figures.usage.rows)
    out.rows.push_back(row_out(row));
  out.totals = row_out(figures.usage.total);
  out.totals.key = "total";
  out.prices = {prices.date(), prices.source()};
  for (const KnownLimit& limit : figures.limits)
    out.limits.push_back({std::string(to_string(limit.platform)), limit.name, limit.used_percent, limit.window_minutes,
                          format_rfc3339(limit.resets_at), format_rfc3339(limit.reported_at)});
  out.time_zone = time_zone_label();
  return out;
}

}  // namespace memd::usage
