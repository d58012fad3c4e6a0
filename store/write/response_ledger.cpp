#include "store/write/response_ledger.hpp"

#include "schemas/hash.hpp"
#include "store/db/bulk_rows.hpp"

#include <algorithm>

namespace memd::assembly {
namespace {
constexpr std::size_t kResponseLedgerCacheEntries = 50'000;

// A response may have the key of the event that told of it (schemas/sql/0005).
std::uint64_t identity_of(std::uint64_t response_key) { return response_key ^ 1; }

}  // namespace

ResponseLedger::Entry& ResponseLedger::find_or_load(std::uint64_t key, std::int64_t session_pk,
                                                    std::int64_t exchange_number) {
  if (const auto it = entries_.find(key); it != entries_.end()) return it->second;
  Entry entry{session_pk, exchange_number, {}, false, false};
  if (const auto place = identities_.find(identity_of(key))) {
    auto& q = db_.prepare(
        "SELECT input, output, cache_read, cache_creation FROM responses"
        " WHERE session_pk = ? AND exchange_number = ? AND response_key = ?");
    q.bind(place->session_pk, place->place, as_sql(key));
    entry = {place->session_pk, place->place, {}, true, false};
    if (q.step()) entry.usage = {q.int64(0), q.int64(1), q.int64(2), q.int64(3)};
    q.reset();
  }
  Entry& kept = entries_.emplace(key, entry).first->second;
  if (!kept.stored) change(key, kept);
  return kept;
}

void ResponseLedger::change(std::uint64_t key, Entry& entry) {
  if (!entry.dirty) changed_.push_back(key);
  entry.dirty = true;
}

TokenUsage ResponseLedger::add(std::uint64_t key, const TokenUsage& usage, std::int64_t session_pk,
                               std::int64_t exchange_number) {
  Entry& entry = find_or_load(key, session_pk, exchange_number);
  // Records of a response repeat input and cache figures and let only the output grow.
  const bool fresh = entry.usage == TokenUsage{};
  if (entry.session_pk != session_pk || (!fresh && usage.output <= entry.usage.output)) return {};
  const TokenUsage delta = usage - entry.usage;
  entry.usage = usage;
  change(key, entry);
  return delta;
}

void ResponseLedger::update(std::uint64_t key, const Entry& e) {
  db_.prepare(
         "UPDATE responses SET input = ?4, output = ?5, cache_read = ?6, cache_creation = ?7"
         " WHERE session_pk = ?1 AND exchange_number = ?2 AND response_key = ?3")
      .bind(e.session_pk, e.exchange_number, as_sql(key), e.usage.input, e.usage.output, e.usage.cache_read,
            e.usage.cache_creation)
      .run();
}

void ResponseLedger::flush() {
  const auto is_new = [this](std::uint64_t key) { return !entries_.at(key).stored; };
  const auto count = std::count_if(changed_.begin(), changed_.end(), is_new);
  sqlite::RowInserter added(
      db_, "responses (response_key, session_pk, exchange_number, input, output, cache_read, cache_creation)",
      static_cast<std::size_t>(count));
  for (const std::uint64_t key : changed_) {
    Entry& e = entries_.at(key);
    const TokenUsage& u = e.usage;
    if (e.stored) {
      update(key, e);
    } else {
      added.add(as_sql(key), e.session_pk, e.exchange_number, u.input, u.output, u.cache_read, u.cache_creation);
      identities_.add(identity_of(key), e.session_pk, e.exchange_number);
    }
    e.stored = true;
    e.dirty = false;
  }
  changed_.clear();
  if (entries_.size() > kResponseLedgerCacheEntries) entries_.clear();
}

void ResponseLedger::clear() {
  entries_.clear();
  changed_.clear();
}

}  // namespace memd::assembly
