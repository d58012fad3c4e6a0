#include "store/write/response_ledger.hpp"

#include "schemas/base/hash.hpp"

#include <algorithm>

namespace memd::assembly {
namespace {

constexpr std::size_t kCachedResponses = 50'000;
// The records of one response that an id alone holds together are no further apart.
constexpr TimeMs kLongestResponse = 60LL * 60 * 1000;

// A response may have the same key as the event that reported it.
std::uint64_t identity_of(std::uint64_t response_key) { return response_key ^ 1; }

std::uint64_t upper_bits(std::uint64_t key) { return key & ~kResponseVariants; }

// Columns in the order in which read_row() reads them.
constexpr std::string_view kColumns =
    "time, model_pk, flags, input, output, cache_read, cache_creation, cache_creation_1h, reasoning, web_searches,"
    " cost_usd";

std::int64_t find_or_add_model(sqlite::Database& db, std::string_view model) {
  db.run("INSERT INTO models (model) VALUES (?) ON CONFLICT DO NOTHING", model);
  return db.query("SELECT model_pk FROM models WHERE model = ?", model).value_or(0);
}

bool same_prompt(const TokenUsage& a, const TokenUsage& b) {
  return a.input == b.input && a.cache_read == b.cache_read && a.cache_creation == b.cache_creation;
}

}  // namespace

std::int64_t ResponseLedger::model_pk(std::string_view model) {
  if (model.empty()) return 0;
  const auto [it, fresh] = models_.try_emplace(std::string(model), 0);
  if (fresh) it->second = find_or_add_model(db_, model);
  return it->second;
}

ResponseLedger::Entry& ResponseLedger::keep(std::uint64_t key, const Entry& entry) {
  const auto [it, fresh] = entries_.try_emplace(key, entry);
  if (fresh) variants_.emplace(upper_bits(key), key);
  return it->second;
}

ResponseLedger::Entry* ResponseLedger::find(std::uint64_t key) {
  if (const auto alias = aliases_.find(key); alias != aliases_.end()) key = alias->second;
  const auto it = entries_.find(key);
  return it == entries_.end() ? nullptr : &it->second;
}

void ResponseLedger::load(std::int64_t session_pk, std::int64_t exchange_number) {
  if (!loaded_.emplace(session_pk, exchange_number).second) return;
  static const std::string sql =
      "SELECT " + std::string(kColumns) + ", response_key FROM responses WHERE session_pk = ? AND exchange_number = ?";
  auto& q = db_.prepare(sql).bind(session_pk, exchange_number);
  while (q.step()) {
    Entry entry{session_pk, exchange_number, q.int64(0), q.int64(1), {}, facts_of_flags(q.int64(2)), true, false};
    entry.usage = {q.int64(3), q.int64(4), q.int64(5), q.int64(6), q.int64(7), q.int64(8)};
    entry.facts.web_searches = q.int64(9);
    if (!q.is_null(10)) entry.facts.cost_usd = q.real(10);
    keep(from_sql(q.int64(11)), entry);
  }
  q.reset();
}

// Finds the response of which the event is another record, although their keys differ: one of the records lacks the id
// of the request, or no record has one.
ResponseLedger::Entry* ResponseLedger::find_variant(const Event& e, std::int64_t session_pk,
                                                    std::int64_t exchange_number) {
  const auto [first, last] = variants_.equal_range(upper_bits(e.response_key));
  for (auto it = first; it != last; ++it) {
    Entry& known = entries_.at(it->second);
    if (known.session_pk != session_pk || (has_request(it->second) && has_request(e.response_key))) continue;
    if (known.exchange_number != exchange_number && known.exchange_number != exchange_number - 1) continue;
    if (known.time != 0 && e.time != 0 &&
        std::max(known.time, e.time) - std::min(known.time, e.time) > kLongestResponse)
      continue;
    const bool one_tells_no_prompt = known.usage.prompt() == 0 || e.usage.prompt() == 0;
    const bool fits =
        one_tells_no_prompt ? known.exchange_number == exchange_number : same_prompt(known.usage, e.usage);
    if (!fits) continue;
    aliases_.emplace(e.response_key, it->second);
    return &known;
  }
  return nullptr;
}

ResponseLedger::Entry& ResponseLedger::find_or_make(const Event& e, std::int64_t session_pk,
                                                    std::int64_t exchange_number) {
  const std::uint64_t key = e.response_key;
  if (Entry* known = find(key)) return *known;
  const auto place = identities_.find(identity_of(key));
  if (place) {
    if (place->session_pk != session_pk) return keep(key, {.session_pk = place->session_pk, .stored = true});
    load(place->session_pk, place->place);
    if (Entry* known = find(key)) return *known;
    if (Entry* known = find_variant(e, place->session_pk, place->place)) return *known;
    return keep(key, {.session_pk = place->session_pk, .exchange_number = place->place, .stored = true});
  }
  for (const std::int64_t number : {exchange_number, exchange_number - 1})
    if (number >= -1) load(session_pk, number);
  if (Entry* known = find_variant(e, session_pk, exchange_number)) {
    new_aliases_.push_back(key);
    return *known;
  }
  Entry& made =
      keep(key, {.session_pk = session_pk, .exchange_number = exchange_number, .time = e.time, .usage = e.usage});
  made.facts = e.response;
  made.dirty = true;
  changed_.push_back(key);
  return made;
}

void ResponseLedger::add(const Event& e, std::string_view model, std::int64_t session_pk,
                         std::int64_t exchange_number) {
  Entry& entry = find_or_make(e, session_pk, exchange_number);
  if (entry.session_pk != session_pk) return;
  Entry told = entry;
  if (told.model_pk == 0) told.model_pk = model_pk(model);
  if (told.time == 0 || (e.time != 0 && e.time < told.time)) told.time = e.time;
  merge_usage(told.usage, e.usage);
  merge_facts(told.facts, e.response);
  if (told.model_pk == entry.model_pk && told.time == entry.time && told.usage == entry.usage &&
      told.facts == entry.facts)
    return;
  if (!entry.dirty) {
    const auto alias = aliases_.find(e.response_key);
    changed_.push_back(alias == aliases_.end() ? e.response_key : alias->second);
  }
  told.dirty = true;
  entry = told;
}

void ResponseLedger::update(std::uint64_t key, const Entry& e) {
  const TokenUsage& u = e.usage;
  db_.prepare(
         "UPDATE responses SET time = ?4, model_pk = ?5, flags = ?6, input = ?7, output = ?8, cache_read = ?9,"
         " cache_creation = ?10, cache_creation_1h = ?11, reasoning = ?12, web_searches = ?13, cost_usd = ?14"
         " WHERE session_pk = ?1 AND exchange_number = ?2 AND response_key = ?3")
      .bind(e.session_pk, e.exchange_number, as_sql(key), e.time, e.model_pk, response_flags(e.facts), u.input,
            u.output, u.cache_read, u.cache_creation, u.cache_creation_1h, u.reasoning, e.facts.web_searches,
            e.facts.cost_usd)
      .run();
}

void ResponseLedger::flush() {
  const auto is_new = [this](std::uint64_t key) { return !entries_.at(key).stored; };
  const auto count = std::count_if(changed_.begin(), changed_.end(), is_new);
  static const std::string into =
      "responses (response_key, session_pk, exchange_number, " + std::string(kColumns) + ")";
  sqlite::RowInserter added(db_, into, static_cast<std::size_t>(count));
  for (const std::uint64_t key : changed_) {
    Entry& e = entries_.at(key);
    const TokenUsage& u = e.usage;
    if (e.stored) {
      update(key, e);
    } else {
      added.add(as_sql(key), e.session_pk, e.exchange_number, e.time, e.model_pk, response_flags(e.facts), u.input,
                u.output, u.cache_read, u.cache_creation, u.cache_creation_1h, u.reasoning, e.facts.web_searches,
                e.facts.cost_usd);
      identities_.add(identity_of(key), e.session_pk, e.exchange_number);
    }
    e.stored = true;
    e.dirty = false;
  }
  for (const std::uint64_t key : new_aliases_) {
    const Entry& e = *find(key);
    identities_.add(identity_of(key), e.session_pk, e.exchange_number);
  }
  changed_.clear();
  new_aliases_.clear();
  if (entries_.size() > kCachedResponses) clear();
}

void ResponseLedger::clear() {
  entries_.clear();
  loaded_.clear();
  variants_.clear();
  aliases_.clear();
  new_aliases_.clear();
  changed_.clear();
  models_.clear();
}

void ResponseLedger::add_account(const SessionUpdate& u, std::int64_t session_pk) {
  for (const ModelAccount& a : u.account)
    db_.prepare(
           "INSERT INTO session_accounts (session_pk, counted_from, model_pk, time, input, output, cache_read,"
           " cache_creation, cache_creation_1h, reasoning, web_searches, cost_usd)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET time = excluded.time,"
           " input = excluded.input, output = excluded.output, cache_read = excluded.cache_read,"
           " cache_creation = excluded.cache_creation, cache_creation_1h = excluded.cache_creation_1h,"
           " reasoning = excluded.reasoning, web_searches = excluded.web_searches, cost_usd = excluded.cost_usd"
           " WHERE excluded.time >= session_accounts.time")
        .bind(session_pk, a.counted_from, model_pk(a.model), a.time, a.tokens.input, a.tokens.output,
              a.tokens.cache_read, a.tokens.cache_creation, a.tokens.cache_creation_1h, a.tokens.reasoning,
              a.web_searches, a.cost_usd)
        .run();
}

void ResponseLedger::add_limits(const SessionUpdate& u) {
  for (const RateLimit& limit : u.limits)
    db_.prepare(
           "INSERT INTO rate_limits (platform, name, used_percent, window_minutes, resets_at, reported_at)"
           " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET used_percent = excluded.used_percent,"
           " resets_at = excluded.resets_at,"
           " reported_at = excluded.reported_at WHERE excluded.reported_at >= rate_limits.reported_at")
        .bind(to_string(u.platform), limit.name, limit.used_percent, limit.window_minutes, limit.resets_at,
              limit.reported_at)
        .run();
}

void save_recorded_responses(sqlite::Database& db, const SessionWork& s, const SessionRecord& record) {
  std::vector<RecordedResponse> responses = record.responses;
  // Exports of earlier versions have only the sum.
  if (responses.empty() && record.cost.tokens != TokenUsage{})
    responses.push_back({hash64(s.uid), s.ended_at, s.model, record.cost.tokens, {}});
  static const std::string sql = "INSERT INTO responses (session_pk, exchange_number, response_key, " +
                                 std::string(kColumns) +
                                 ") VALUES (?, -1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  for (const RecordedResponse& r : responses)
    db.prepare(sql)
        .bind(s.pk, as_sql(r.key), r.time, r.model.empty() ? 0 : find_or_add_model(db, r.model),
              response_flags(r.facts), r.usage.input, r.usage.output, r.usage.cache_read, r.usage.cache_creation,
              r.usage.cache_creation_1h, r.usage.reasoning, r.facts.web_searches, r.facts.cost_usd)
        .run();
}

}  // namespace memd::assembly
