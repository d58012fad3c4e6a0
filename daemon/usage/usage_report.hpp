#pragma once

#include "daemon/usage/prices.hpp"
#include "protocol/mcp/describe.hpp"
#include "store/read/usage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd {
class Reader;
}

// What models were used for and what it cost, as `memd usage`, agents and the report are told.
namespace memd::usage {

// Tokens and costs of a day, a model, a session, …
struct UsageRowOut : UsageLine {
  std::string date;
  std::string agent;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_creation_5m_tokens = 0;
  std::int64_t cache_creation_1h_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  bool lower_bound = false;
  std::int64_t subagent_tokens = 0;
  std::int64_t account_tokens = 0;

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

MEMD_DESCRIBE(memd::usage::UsageRowOut, field<&T::key>("What the row is about, as --by says; \"total\" of all rows."),
              field<&T::date>("Day, or the first day of a week, month or block, local; empty: none."),
              field<&T::agent>("Agent; empty: several."), field<&T::model>("Model; empty: several."),
              field<&T::project>("Project; empty: several."), field<&T::session>("Main session; empty: several."),
              field<&T::title>("Of the session; empty: several."),
              field<&T::input_tokens>("Read, new: neither from the cache nor put into it."),
              field<&T::output_tokens>("Written, reasoning included."),
              field<&T::cache_creation_5m_tokens>("Put into the cache for five minutes."),
              field<&T::cache_creation_1h_tokens>("Put into the cache for an hour."), field<&T::cache_read_tokens>(),
              field<&T::reasoning_tokens>("Part of the output; 0: none, or not told."),
              field<&T::cost_usd>("By the prices; absent: nothing here has a price."),
              field<&T::agent_cost_usd>("As agents calculate it; absent: none does."),
              field<&T::lower_bound>("Some responses were cut off: their output, and its cost, are at least this."),
              field<&T::unpriced_tokens>("Tokens of models without a price: cost_usd leaves them out."),
              field<&T::subagent_tokens>("Part of the tokens: of subagents."),
              field<&T::account_tokens>("Part of the tokens: only in the agent's own account, not in the transcript."),
              field<&T::web_searches>("Searches that the provider charges."), field<&T::responses>());
MEMD_DESCRIBE(memd::usage::LimitOut, field<&T::agent>(), field<&T::name>("As its provider calls it."),
              field<&T::used_percent>("0 to 100."),
              field<&T::window_minutes>("300: five hours; 10080: a week; 0: not told."),
              field<&T::resets_at>("RFC 3339; empty: not told."),
              field<&T::reported_at>("RFC 3339: the figure is this old."));
MEMD_DESCRIBE(memd::usage::PricesOut, field<&T::date>("Of the built-in table."),
              field<&T::source>("Its origin, and the user's own files."));
MEMD_DESCRIBE(
    memd::usage::ExplainedRecord, field<&T::session>(), field<&T::time>("RFC 3339; empty: not told."),
    field<&T::model>("Empty: not told."), field<&T::response>("Equal for records of one response."),
    field<&T::counted>("false: left out."),
    field<&T::reason>("Why: first record; more of it (a later record of the response, with larger figures); repeated "
                      "(the response again); another session's (a fork or a resumed session repeats it)."),
    field<&T::input_tokens>("As the record tells them."), field<&T::output_tokens>("As the record tells them."),
    field<&T::cache_creation_tokens>("As the record tells them."),
    field<&T::cache_read_tokens>("As the record tells them."));
MEMD_DESCRIBE(memd::usage::UsageReport, field<&T::by>(),
              field<&T::rows>("Times in order, others with most tokens first."),
              field<&T::totals>("Of all rows, those left out by -n too."),
              field<&T::prices>("What cost_usd was computed by."),
              field<&T::limits>("Limits of accounts, as last reported."), field<&T::time_zone>("Of the days."),
              field<&T::records>("With --explain: what was counted, in order; absent without."));
