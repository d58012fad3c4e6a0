// event_msg/token_count: the running total of the session and what the last request took.
#include "adapters/codex/record_handlers.hpp"
#include "schemas/hash.hpp"

#include <algorithm>

namespace memd::codex {
namespace {

enum : std::size_t { kInput, kCached, kCacheWrite, kOutput, kTotal, kUsageKeys };
constexpr KeyTable<kUsageKeys> kUsageTable{
    {"input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "total_tokens"}};
using Counts = Tokens<kUsageKeys>;

bool read_counts(od::object& info, std::string_view key, Counts& counts) {
  od::object usage;
  counts.fill({});
  return !seek_object(info, key, usage) || collect(usage, kUsageTable, counts);
}

}  // namespace

Fate read_token_count(RecordContext& c, od::object& item) {
  od::object info;
  Counts total;
  Counts last;
  if (!seek_object(item, "info", info)) return Fate::skipped("rate_limits");
  if (!read_counts(info, "total_token_usage", total) || !read_counts(info, "last_token_usage", last))
    return Fate::damaged();
  if (last[kTotal].empty() || integer(total[kTotal]) == 0) return Fate::skipped("rate_limits");

  // The same total is told again without a request in between; it counts once.
  std::uint64_t totals = hash64("total");
  for (const auto count : total)
    totals = hash_combine(totals, hash64(count));
  c.identify_in_session("usage", totals);
  Event& e = c.add_lifecycle("usage");
  e.response_key = hash_combine(hash64(c.line().session_uid, hash64("codex/usage")), totals);
  const auto cached = integer(last[kCached]);
  const auto written = integer(last[kCacheWrite]);
  e.usage.input = std::max<std::int64_t>(0, integer(last[kInput]) - cached - written);
  e.usage.output = integer(last[kOutput]);
  e.usage.cache_read = cached;
  e.usage.cache_creation = written;
  return Fate::indexed();
}

}  // namespace memd::codex
