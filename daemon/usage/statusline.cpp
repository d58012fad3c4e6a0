#include "daemon/usage/statusline.hpp"

#include "daemon/usage/usage_report.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memd::usage {
namespace {

// Blocks follow one another without a pause for at most this long before today; their beginnings are then exact.
constexpr TimeMs kBlocksFrom = 2 * kMsPerDay;

std::string text_of(const mcp::JsonRef& object, std::string_view name) {
  return object.is_object() ? std::string(object.member(name).text().value_or("")) : std::string();
}

std::optional<double> number_of(const mcp::JsonRef& object, std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto number = object.member(name).number();
  return number && std::isfinite(*number) && std::abs(*number) < 1e15 ? number : std::nullopt;
}

std::int64_t count_of(const mcp::JsonRef& object, std::string_view name) {
  return static_cast<std::int64_t>(std::max(0.0, number_of(object, name).value_or(0)));
}

StatuslineSum sum_of(const UsageRow& row) {
  return {row.tokens.total(), row.cost_usd, row.unfinished > 0 || (row.cost_usd && row.unpriced_tokens > 0)};
}

struct StatuslineQuery {
  const StatuslineInput& input;
  const PriceTable& prices;
  TimeMs now = 0;

  using Answer = StatuslineFigures;
  Answer run(sqlite::Database& db) const {
    StatuslineFigures out;
    UsageQuery query{{}, UsageBy::session, pricer(prices)};
    std::optional<Platform> agent;
    if (!input.session_id.empty()) {
      query.filter.session = input.session_id;
      try {
        const UsageRow total = query.run(db).total;
        out.session = sum_of(total);
        agent = total.platform;
      } catch (const ErrorException&) {  // a new session, which the store does not have yet
      }
      query.filter.session.clear();
    }
    query.by = UsageBy::day;
    query.filter.since = day_start(local_day(now));
    out.today = sum_of(query.run(db).total);
    query.by = UsageBy::block;
    query.filter.since = now - kBlocksFrom;
    if (agent) query.filter.platforms = {*agent};
    for (const UsageRow& block : query.run(db).rows)
      if (block.start > 0 && block.start <= now && now < block.start + kUsageBlock) {
        out.block = sum_of(block);
        out.block_ends = block.start + kUsageBlock;
      }
    out.limits = RateLimitQuery().run(db);
    return out;
  }
};

std::string short_count(std::int64_t n) {
  if (n < 1000) return std::to_string(n);
  if (n < 999'500) return fmt::format("{:.0f}k", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(n) / 1e6);
}

std::string short_time(TimeMs ms) {
  const std::int64_t minutes = std::max<TimeMs>(0, ms) / 60'000;
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 48 * 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  return fmt::format("{} d", minutes / (24 * 60));
}

std::string window(std::int64_t minutes, const std::string& name) {
  if (minutes <= 0) return name;
  if (minutes < 24 * 60) return fmt::format("{} h", (minutes + 30) / 60);
  return fmt::format("{} d", (minutes + 12 * 60) / (24 * 60));
}

std::string money(const std::optional<double>& usd, bool is_lower_bound) {
  return usd ? fmt::format(" {}${:.2f}", is_lower_bound ? "≥" : "", *usd) : std::string();
}

std::string sum_words(std::string_view name, const StatuslineSum& sum) {
  return fmt::format("{} {}{}", name, short_count(sum.tokens), money(sum.cost_usd, sum.is_lower_bound));
}

}  // namespace

Result<StatuslineInput> parse_statusline_input(std::string_view json) {
  MEMD_TRY_ASSIGN(const auto document, mcp::JsonDocument::parse(json));
  const mcp::JsonRef root = document.root();
  if (!root.is_object()) return Error(Errc::invalid_argument, "the status line's input is no JSON object");
  StatuslineInput out;
  out.session_id = text_of(root, "session_id");
  const auto model = root.member("model");
  out.model = model.is_object() ? text_of(model, "display_name") : std::string(model.text().value_or(""));
  if (out.model.empty()) out.model = text_of(model, "id");
  const auto context = root.member("context_window");
  out.context_percent = number_of(context, "used_percentage");
  out.context_size = count_of(context, "context_window_size");
  if (context.is_object())
    for (const char* part : {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})
      out.context_tokens += count_of(context.member("current_usage"), part);
  out.cost_usd = number_of(root.member("cost"), "total_cost_usd");
  if (const auto limits = root.member("rate_limits"); limits.is_object())
    for (const auto& [name, minutes] : {std::pair{"five_hour", 300}, std::pair{"seven_day", 10'080}}) {
      const auto limit = limits.member(name);
      if (const auto used = number_of(limit, "used_percentage"))
        out.limits.push_back({name, *used, minutes, from_unix_seconds(count_of(limit, "resets_at")), 0});
    }
  return out;
}

Result<StatuslineFigures> statusline_figures(Reader& reader, const StatuslineInput& input, const PriceTable& prices,
                                             TimeMs now) {
  return reader.ask(StatuslineQuery{input, prices, now});
}

std::string statusline_text(const StatuslineInput& input, const StatuslineFigures& figures, StatuslineStyle style,
                            TimeMs now) {
  std::string out;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) out += (out.empty() ? "" : " · ") + words;
  };
  constexpr std::size_t kLongest = 40;
  add(harmless_line(utf8_prefix(input.model, kLongest)));
  std::string context;
  if (input.context_tokens > 0) context = short_count(input.context_tokens);
  if (input.context_tokens > 0 && input.context_size > 0) context += "/" + short_count(input.context_size);
  if (input.context_percent)
    context +=
        fmt::format("{}{:.0f}%", context.empty() ? "context " : " ", std::clamp(*input.context_percent, 0.0, 999.0));
  add(context);
  for (const RateLimit& limit : input.limits)
    add(fmt::format("{} {:.0f}%", window(limit.window_minutes, limit.name),
                    std::clamp(limit.used_percent, 0.0, 999.0)));
  if (!figures.session.empty())
    add(sum_words("session", figures.session));
  else if (input.cost_usd)
    add(fmt::format("session ${:.2f}", *input.cost_usd));
  if (!figures.today.empty()) add(sum_words("today", figures.today));
  if (!figures.block.empty())
    add(sum_words("block", figures.block) + ", " + short_time(figures.block_ends - now) + " left");
  for (const KnownLimit& limit : figures.limits) {
    if (limit.resets_at > 0 && limit.resets_at <= now) continue;  // used up then, and full again now
    add(fmt::format("{} {} {:.0f}% ({} ago)", to_string(limit.platform),
                    harmless_line(window(limit.window_minutes, limit.name)), limit.used_percent,
                    short_time(now - limit.reported_at)));
  }
  if (out.empty()) out = "memd";
  if (style == StatuslineStyle::tmux)  // # begins a format there
    for (std::size_t at = 0; (at = out.find('#', at)) != std::string::npos; at += 2)
      out.insert(at, 1, '#');
  return out;
}

}  // namespace memd::usage
