#include "daemon/cli/render/usage.hpp"

#include "daemon/cli/render/table.hpp"
#include "daemon/cli/render/words.hpp"
#include "schemas/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memd::cli {
namespace {

using usage::UsageRowOut;
using Fit = Column::Fit;

std::string tokens(std::int64_t n) { return n == 0 ? std::string() : short_number(n); }

// Returns a bar of eighths of a column, its length in proportion to the largest row's.
std::string bar(double value, double largest, std::size_t columns) {
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (largest <= 0 || value <= 0) return {};
  const auto eighths = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(value / largest * static_cast<double>(columns * 8))));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i)
    out += "█";
  return out + kParts[eighths % 8];
}

Line cost_cell(const UsageRowOut& row) {
  if (!row.cost_usd) return Line(row.unpriced_tokens > 0 ? "no price" : "", Style::faint);
  const std::string usd = dollars(*row.cost_usd);
  return Line((row.lower_bound && usd.front() == '$' ? "≥" : "") + usd, Style::strong);
}

std::string share(std::int64_t part, std::int64_t all) {
  return part == 0 || all == 0 ? std::string()
                               : fmt::format("{:.0f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string first_title(std::string_view by) {
  std::string out(by);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

Line key_cell(const usage::UsageReport& report, const UsageRowOut& row, const SessionNames& names) {
  if (report.by == "session") return Line(names.name(row.key), Style::id);
  if (report.by == "block")
    if (const auto start = parse_rfc3339(row.key)) return Line(format_local_minute(*start));
  if (report.by == "agent") return Line(name_of_agent(row.key));
  return Line(row.key.empty() ? "not known" : row.key);
}

std::string limit_words(const usage::LimitOut& limit, TimeMs now) {
  const std::string whose = limit.name.starts_with(limit.agent) ? limit.name : limit.agent + " " + limit.name;
  const std::string window = limit.window_minutes > 0 ? " of " + short_duration(60 * limit.window_minutes) : "";
  std::string out = fmt::format("{}: {:.0f}%{} used", whose, limit.used_percent, window);
  if (const auto resets = parse_rfc3339(limit.resets_at); resets && *resets > now)
    out += ", resets in " + short_duration((*resets - now) / 1000);
  if (const auto told = parse_rfc3339(limit.reported_at)) out += " (told " + ago(*told, now) + ")";
  return out;
}

void show_records(Screen& screen, const std::vector<usage::ExplainedRecord>& records) {
  Table table({{"WHEN"},
               {"RESPONSE"},
               {"NEW", Fit::whole, true},
               {"WRITTEN", Fit::whole, true},
               {"CACHED", Fit::whole, true},
               {"REUSED", Fit::whole, true},
               {"", Fit::shrinks},
               {"MODEL", Fit::may_go},
               {"SESSION", Fit::may_go}});
  constexpr std::size_t kIdShown = 6;
  for (const usage::ExplainedRecord& r : records) {
    const Style style = r.counted ? Style::plain : Style::faint;
    table.row({Line(format_local_minute(parse_rfc3339(r.time).value_or(0)), Style::faint),
               Line(r.response.substr(0, kIdShown), Style::id), Line(grouped_digits(r.input_tokens), style),
               Line(grouped_digits(r.output_tokens), style), Line(grouped_digits(r.cache_creation_tokens), style),
               Line(grouped_digits(r.cache_read_tokens), style),
               Line((r.counted ? "counted: " : "left out: ") + r.reason, r.counted ? Style::good : Style::warning),
               Line(r.model, Style::faint), Line(r.session, Style::faint)});
  }
  table.print(screen);
  const auto counted = std::count_if(records.begin(), records.end(), [](const auto& r) { return r.counted; });
  screen.blank();
  screen.text(Line(fmt::format("{} with tokens: {} counted, {} left out.",
                               with_noun(static_cast<std::int64_t>(records.size()), "record"), counted,
                               static_cast<std::ptrdiff_t>(records.size()) - counted)));
  screen.blank();
}

}  // namespace

void show(Screen& screen, const usage::UsageReport& report, std::size_t left_out) {
  const Look& look = screen.look();
  if (report.records) show_records(screen, *report.records);
  if (report.rows.empty()) {
    screen.text("No tokens are recorded there.");
    return;
  }
  constexpr std::size_t kNarrow = 100;
  const std::size_t bar_columns = look.columns > kNarrow ? 24 : 10;
  const bool of_sessions = report.by == "session";
  // The bar shows costs, or tokens where nothing has a price.
  const auto size = [&](const UsageRowOut& row) {
    return report.totals.cost_usd ? row.cost_usd.value_or(0) : static_cast<double>(row.tokens());
  };
  double largest = 0;
  SessionNames names(look);
  for (const UsageRowOut& row : report.rows) {
    largest = std::max(largest, size(row));
    names.add(row.key);
  }
  const std::string first = first_title(report.by);
  const Fit figure = of_sessions ? Fit::may_go : Fit::whole;
  const std::size_t title_columns = look.columns > kNarrow ? 40 : 24;
  Table table({{first, of_sessions ? Fit::whole : Fit::shrinks},
               {"TITLE", of_sessions ? Fit::shrinks : Fit::may_go, false, title_columns},
               {"COST", Fit::whole, true},
               {"NO PRICE", Fit::whole, true},
               {"AGENT SAYS", Fit::whole, true},
               {"NEW", figure, true},
               {"WRITTEN", figure, true},
               {"CACHED", figure, true},
               {"REUSED", figure, true},
               {of_sessions ? "SUBAGENTS" : "", figure, true},
               {"", Fit::may_go},
               {"CACHED 1 H", Fit::may_go, true},
               {"REASONING", Fit::may_go, true},
               {"RESPONSES", Fit::may_go, true},
               {"NOT IN TRANSCRIPT", Fit::may_go, true},
               {"SEARCHES", Fit::may_go, true}});
  const auto add = [&](Line key, const UsageRowOut& row, bool is_total) {
    const std::string drawn = look.is_terminal && !is_total ? bar(size(row), largest, bar_columns) : std::string();
    table.row({std::move(key), Line(of_sessions && !is_total ? row.title : ""), cost_cell(row),
               Line(tokens(row.unpriced_tokens), Style::warning),
               Line(row.agent_cost_usd ? dollars(*row.agent_cost_usd) : ""), Line(tokens(row.input_tokens)),
               Line((row.lower_bound ? "≥" : "") + tokens(row.output_tokens)),
               Line(tokens(row.cache_creation_tokens())), Line(tokens(row.cache_read_tokens)),
               Line(of_sessions ? share(row.subagent_tokens, row.tokens()) : ""), Line(drawn, Style::name),
               Line(tokens(row.cache_creation_1h_tokens)), Line(tokens(row.reasoning_tokens)),
               Line(grouped_digits(row.responses), Style::faint), Line(tokens(row.account_tokens)),
               Line(tokens(row.web_searches))});
  };
  for (const UsageRowOut& row : report.rows)
    add(key_cell(report, row, names), row, false);
  add(Line("total", Style::strong), report.totals, true);
  table.print(screen);

  screen.blank();
  if (left_out > 0)
    screen.text(Line(
        fmt::format("{} more in the total: -n 0 shows them.", with_noun(static_cast<std::int64_t>(left_out), "row")),
        Style::faint));
  if (report.totals.unpriced_tokens > 0)
    screen.text(
        Line(fmt::format("{} tokens have no known price: the costs leave them out. --by model names the models.",
                         short_number(report.totals.unpriced_tokens)),
             Style::warning));
  if (report.totals.lower_bound)
    screen.text(Line("≥: some responses were cut off before the agent wrote how long they became.", Style::faint));
  if (report.totals.account_tokens > 0)
    screen.text(Line(short_number(report.totals.account_tokens) +
                         " tokens are only in the agent's own account (compactions, titles), not in the transcript.",
                     Style::faint));
  for (const usage::LimitOut& limit : report.limits)
    screen.text(Line(limit_words(limit, look.now)));
  screen.text(Line(fmt::format("Computed with prices of {} ({}); it is no bill. Days: {}.", report.prices.date,
                               report.prices.source, report.time_zone),
                   Style::faint));
}

void show(Screen& screen, const usage::PriceTable& prices) {
  Table table({{"MODEL", Fit::shrinks},
               {"FROM"},
               {"WHEN"},
               {"NEW", Fit::whole, true},
               {"WRITTEN", Fit::whole, true},
               {"CACHED", Fit::whole, true},
               {"1 H", Fit::whole, true},
               {"REUSED", Fit::whole, true},
               {"1,000 SEARCHES", Fit::may_go, true}});
  const auto number = [](double usd) { return fmt::format("{:g}", usd); };
  for (const usage::PricedModel& model : prices.models()) {
    std::string_view name = model.name;
    for (const usage::Price& p : model.prices.all()) {
      std::string when;
      const auto say = [&](const std::string& words) { when += (when.empty() ? "" : ", ") + words; };
      if (p.tier != usage::PriceTier::standard) say(std::string(to_string(p.tier)));
      if (p.above > 0) say("above " + short_number(p.above));
      if (p.hours)
        say(fmt::format("{:02}:{:02}-{:02}:{:02} UTC", p.hours->first / 60, p.hours->first % 60, p.hours->second / 60,
                        p.hours->second % 60));
      table.row({Line(name, model.is_own ? Style::good : Style::name), Line(p.from, Style::faint), Line(when),
                 Line(number(p.input)), Line(number(p.output)), Line(number(p.cache_creation)),
                 Line(number(p.cache_creation_1h)), Line(number(p.cache_read)),
                 Line(p.web_search > 0 ? number(p.web_search) : "")});
      name = {};
    }
  }
  table.print(screen);
  screen.blank();
  screen.text(Line(fmt::format("US dollars for a million tokens. Prices of {}: {}.", prices.date(), prices.source()),
                   Style::faint));
}

}  // namespace memd::cli
