#include "store/assembly/response_ledger.hpp"

#include "schemas/hash.hpp"

namespace memd::assembly {
namespace {
constexpr std::size_t kCacheEntries = 50'000;
}

ResponseLedger::Entry& ResponseLedger::find_or_load(std::uint64_t key, std::int64_t session_pk,
                                                    std::int64_t exchange_number) {
  if (const auto it = entries_.find(key); it != entries_.end()) return it->second;
  Entry entry{session_pk, exchange_number, {}, true};
  auto& q = db_.prepare(
      "SELECT session_pk, coalesce(exchange_number, -1), input, output, cache_read, cache_creation"
      " FROM responses WHERE response_key = ?");
  q.bind(as_sql(key));
  if (q.step()) entry = {q.int64(0), q.int64(1), {q.int64(2), q.int64(3), q.int64(4), q.int64(5)}, false};
  q.reset();
  return entries_.emplace(key, entry).first->second;
}

TokenUsage ResponseLedger::add(std::uint64_t key, const TokenUsage& usage, std::int64_t session_pk,
                               std::int64_t exchange_number) {
  Entry& entry = find_or_load(key, session_pk, exchange_number);
  // Records of a response repeat input and cache figures and let only the output grow.
  const bool fresh = entry.usage == TokenUsage{};
  if (entry.session_pk != session_pk || (!fresh && usage.output <= entry.usage.output)) return {};
  const TokenUsage delta = usage - entry.usage;
  entry.usage = usage;
  entry.dirty = true;
  return delta;
}

void ResponseLedger::flush() {
  auto& upsert = db_.prepare(
      "INSERT INTO responses (response_key, session_pk, exchange_number, input, output, cache_read, cache_creation)"
      " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (response_key) DO UPDATE SET input = excluded.input,"
      " output = excluded.output, cache_read = excluded.cache_read, cache_creation = excluded.cache_creation");
  for (auto& [key, entry] : entries_) {
    if (!entry.dirty) continue;
    upsert
        .bind(as_sql(key), entry.session_pk, entry.exchange_number, entry.usage.input, entry.usage.output,
              entry.usage.cache_read, entry.usage.cache_creation)
        .run();
    entry.dirty = false;
  }
  if (entries_.size() > kCacheEntries) entries_.clear();
}

}  // namespace memd::assembly
