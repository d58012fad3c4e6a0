#pragma once

#include "daemon/usage/prices.hpp"
#include "protocol/mcp/describe.hpp"
#include "store/read/usage.hpp"
#include "store/reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What models were used for and what it cost, as `memd usage`, agents and the report are told.
namespace memd::usage {

// Tokens and costs of a day, a model, a session, …
struct UsageRowOut {
  std::string key;
  std::string date;
  std::string agent;
  std::string model;
  std::string project;
  std::string session;
  std::string title;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_creation_5m_tokens = 0;
  std::int64_t cache_creation_1h_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<double> cost_usd;
  std::optional<double> agent_cost_usd;
  bool lower_bound = false;
  std::int64_t unpriced_tokens = 0;
  std::int64_t subagent_tokens = 0;
  std::int64_t account_tokens = 0;
  std::int64_t web_searches = 0;
  std::int64_t responses = 0;

  std::int64_t cache_creation_tokens() const { return cache_creation_5m_tokens + cache_creation_1h_tokens; }
  std::int64_t tokens() const { return input_tokens + output_tokens + cache_creation_tokens() + cache_read_tokens; }
};

struct LimitOut {
  std::string agent;
  std::string name;
  double used_percent = 0;
  std::int64_t window_minutes = 0;
  std::string resets_at;
  std::string reported_at;
};

struct PricesOut {
  std::string date;
  std::string source;
};

// A record that tells the tokens of a response: whether they were counted, and why not.
struct ExplainedRecord {
  std::string session;
  std::string time;
  std::string model;
  std::string response;  // equal for records of one response
  bool counted = false;
  std::string reason;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_creation_tokens = 0;
  std::int64_t cache_read_tokens = 0;
};

struct UsageReport {
  std::string by;
  std::vector<UsageRowOut> rows;
  UsageRowOut totals;
  PricesOut prices;
  std::vector<LimitOut> limits;
  std::string time_zone;
  std::optional<std::vector<ExplainedRecord>> records;
};

struct UsageQuestion {
  QueryFilter filter{};
  UsageBy by = UsageBy::day;
};

// Returns whether the rows are times, which are in order, and no things, which are by size.
bool is_over_time(UsageBy by);

// Computes the rows and their total. One snapshot of the store.
Result<UsageReport> usage_report(Reader& reader, const UsageQuestion& question, const PriceTable& prices);

}  // namespace memd::usage

namespace memd::mcp {

template <>
struct Describe<usage::UsageRowOut> {
  using T = usage::UsageRowOut;
  static constexpr auto fields = fields_of(
      field("key", &T::key, "What the row is about, as --by says; \"total\" of all rows."),
      field("date", &T::date, "Day, or the first day of a week, month or block, local; empty: none."),
      field("agent", &T::agent, "Agent; empty: several."), field("model", &T::model, "Model; empty: several."),
      field("project", &T::project, "Project; empty: several."),
      field("session", &T::session, "Main session; empty: several."),
      field("title", &T::title, "Of the session; empty: several."),
      field("input_tokens", &T::input_tokens, "Read, new: neither from the cache nor put into it."),
      field("output_tokens", &T::output_tokens, "Written, reasoning included."),
      field("cache_creation_5m_tokens", &T::cache_creation_5m_tokens, "Put into the cache for five minutes."),
      field("cache_creation_1h_tokens", &T::cache_creation_1h_tokens, "Put into the cache for an hour."),
      field("cache_read_tokens", &T::cache_read_tokens, "Read from the cache."),
      field("reasoning_tokens", &T::reasoning_tokens, "Part of the output; 0: none, or not told."),
      field("cost_usd", &T::cost_usd, "By the prices; absent: nothing here has a price."),
      field("agent_cost_usd", &T::agent_cost_usd, "As agents calculate it; absent: none does."),
      field("lower_bound", &T::lower_bound,
            "Some responses were cut off: their output, and its cost, are at least this."),
      field("unpriced_tokens", &T::unpriced_tokens, "Tokens of models without a price: cost_usd leaves them out."),
      field("subagent_tokens", &T::subagent_tokens, "Part of the tokens: of subagents."),
      field("account_tokens", &T::account_tokens,
            "Part of the tokens: only in the agent's own account, not in the transcript."),
      field("web_searches", &T::web_searches, "Searches that the provider charges."),
      field("responses", &T::responses, "Responses of models."));
};
template <>
struct Describe<usage::LimitOut> {
  using T = usage::LimitOut;
  static constexpr auto fields =
      fields_of(field("agent", &T::agent, "Agent."), field("name", &T::name, "As its provider calls it."),
                field("used_percent", &T::used_percent, "0 to 100."),
                field("window_minutes", &T::window_minutes, "300: five hours; 10080: a week; 0: not told."),
                field("resets_at", &T::resets_at, "RFC 3339; empty: not told."),
                field("reported_at", &T::reported_at, "RFC 3339: the figure is this old."));
};
template <>
struct Describe<usage::PricesOut> {
  using T = usage::PricesOut;
  static constexpr auto fields = fields_of(field("date", &T::date, "Of the built-in table."),
                                           field("source", &T::source, "Its origin, and the user's own files."));
};
template <>
struct Describe<usage::ExplainedRecord> {
  using T = usage::ExplainedRecord;
  static constexpr auto fields =
      fields_of(field("session", &T::session, "Whose record."), field("time", &T::time, "RFC 3339; empty: not told."),
                field("model", &T::model, "Empty: not told."),
                field("response", &T::response, "Equal for records of one response."),
                field("counted", &T::counted, "false: left out."),
                field("reason", &T::reason,
                      "Why: first record; more of it (a later record of the response, with larger figures); repeated "
                      "(the response again); another session's (a fork or a resumed session repeats it)."),
                field("input_tokens", &T::input_tokens, "As the record tells them."),
                field("output_tokens", &T::output_tokens, "As the record tells them."),
                field("cache_creation_tokens", &T::cache_creation_tokens, "As the record tells them."),
                field("cache_read_tokens", &T::cache_read_tokens, "As the record tells them."));
};
template <>
struct Describe<usage::UsageReport> {
  using T = usage::UsageReport;
  static constexpr auto fields =
      fields_of(field("by", &T::by, "What each row is about."),
                field("rows", &T::rows, "Times in order, others with most tokens first."),
                field("totals", &T::totals, "Of all rows, those left out by -n too."),
                field("prices", &T::prices, "What cost_usd was computed by."),
                field("limits", &T::limits, "Limits of accounts, as last reported."),
                field("time_zone", &T::time_zone, "Of the days."),
                field("records", &T::records, "With --explain: what was counted, in order; absent without."));
};

}  // namespace memd::mcp
