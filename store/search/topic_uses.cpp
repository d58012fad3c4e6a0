#include "store/search/topic_uses.hpp"

#include "store/read/row_filter.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace memd::topics {
namespace {

constexpr std::size_t kRanked = 600;    // the first ones are given
constexpr std::size_t kMerged = 4'000;  // forms that are looked at for it, the heaviest

// The form of a topic that is used most.
std::string name_of(sqlite::Database& db, std::string_view stems) {
  std::vector<std::pair<std::int64_t, std::string>> forms;
  auto& q = db.prepare("SELECT topic_pk, topic FROM topics WHERE stems = ?1 ORDER BY topic_pk").bind(stems);
  while (q.step())
    forms.emplace_back(q.int64(0), q.str(1));
  q.reset();
  if (forms.empty()) return std::string(stems);
  if (forms.size() == 1) return forms.front().second;
  auto& count = db.prepare("SELECT count(*) FROM exchange_topics WHERE topic_pk = ?1");
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (count.bind(forms[i].first).step() && count.int64(0) > most) {
      most = count.int64(0);
      best = i;
    }
  count.reset();
  return forms[best].second;
}

struct Place {
  ExchangeId id = 0;
  std::int64_t session = 0;
  TimeMs time = 0;
};

// In order of id. The times of all exchanges stand in an index with their sessions; few sessions are asked one by one.
std::vector<Place> places(sqlite::Database& db, const TopicFilter& filter) {
  constexpr std::size_t kFewSessions = 200;
  std::vector<Place> out;
  if (filter.by_session() && filter.sessions().size() <= kFewSessions) {
    auto& q = db.prepare("SELECT exchange_pk, started_at FROM exchanges WHERE session_pk = ?1");
    for (const std::int64_t session : filter.sessions()) {
      q.bind(session);
      while (q.step())
        if (filter.passes(session, q.int64(1))) out.push_back({q.int64(0), session, q.int64(1)});
    }
    q.reset();
  } else {
    auto& q =
        db.prepare(
              "SELECT exchange_pk, session_pk, started_at FROM exchanges WHERE started_at >= ?1 AND started_at < ?2")
            .bind(filter.since(), filter.until());
    while (q.step())
      if (filter.passes(q.int64(1), q.int64(2))) out.push_back({q.int64(0), q.int64(1), q.int64(2)});
    q.reset();
  }
  std::sort(out.begin(), out.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
  return out;
}

// One pass over everything that is stored.
UseByTopic uses_of_many(sqlite::Database& db, const std::vector<Place>& places) {
  UseByTopic uses;
  auto& q = db.prepare("SELECT topic_pk, exchange_pk, relevance_score FROM exchange_topics");
  std::int64_t topic = 0;
  TopicUse* use = nullptr;
  auto at = places.begin();  // the exchanges of a topic come in order
  while (q.step()) {
    if (q.int64(0) != topic) {
      topic = q.int64(0);
      use = nullptr;
      at = places.begin();
    }
    const ExchangeId id = q.int64(1);
    at = std::lower_bound(at, places.end(), id, [](const Place& p, ExchangeId wanted) { return p.id < wanted; });
    if (at == places.end() || at->id != id) continue;
    if (use == nullptr) use = &uses[topic];
    use->add(at->session, at->time, q.real(2));
  }
  q.reset();
  return uses;
}

}  // namespace

void TopicUse::add(std::int64_t session, TimeMs time, double relevance) {
  weight += relevance;
  ++exchanges;
  if (sessions_.empty() || sessions_.back() != session) sessions_.push_back(session);
  span.start = span.start == 0 ? time : std::min(span.start, time);
  span.end = std::max(span.end, time);
}

void TopicUse::add(const TopicUse& other) {
  weight += other.weight;
  exchanges += other.exchanges;
  sessions_.insert(sessions_.end(), other.sessions_.begin(), other.sessions_.end());
  span.start = span.start == 0 ? other.span.start : std::min(span.start, other.span.start);
  span.end = std::max(span.end, other.span.end);
}

std::int64_t TopicUse::sessions() const {
  std::vector<std::int64_t> all = sessions_;
  std::sort(all.begin(), all.end());
  return std::unique(all.begin(), all.end()) - all.begin();
}

double TopicUse::rank() const {
  if (exchanges == 0) return 0;
  return weight / std::sqrt(static_cast<double>(exchanges)) * (1 + std::log2(static_cast<double>(sessions())));
}

TopicFilter::TopicFilter(sqlite::Database& db, const QueryFilter& filter) : since_(filter.since) {
  if (filter.until > 0) until_ = filter.until;
  by_session_ = filter.no_platform || !filter.platforms.empty() || !filter.project.empty() || !filter.session.empty() ||
                !filter.include_subagents;
  if (!by_session_) return;
  static const std::string sql =
      "SELECT s.session_pk FROM sessions s WHERE " + std::string(queries::kSessionConditions);
  const auto c = queries::conditions_of(db, filter);
  auto& q = db.prepare(sql).bind(c.platforms, c.project, c.session_pk, c.include_subagents);
  while (q.step())
    sessions_.insert(q.int64(0));
  q.reset();
}

void add_exchange(sqlite::Database& db, UseByTopic& uses, ExchangeId id, std::int64_t session, TimeMs time) {
  auto& q = db.prepare("SELECT topic_pk, relevance_score FROM exchange_topics WHERE exchange_pk = ?").bind(id);
  while (q.step())
    uses[q.int64(0)].add(session, time, q.real(1));
  q.reset();
}

UseByTopic uses_in(sqlite::Database& db, const TopicFilter& filter) {
  constexpr std::size_t kFew = 5'000;
  const std::vector<Place> all = places(db, filter);
  if (all.size() > kFew) return uses_of_many(db, all);
  UseByTopic uses;
  for (const Place& place : all)
    add_exchange(db, uses, place.id, place.session, place.time);
  return uses;
}

RankedTopics merged_by_stems(sqlite::Database& db, const UseByTopic& uses) {
  std::vector<const UseByTopic::value_type*> heaviest;
  for (const auto& use : uses)
    heaviest.push_back(&use);
  std::sort(heaviest.begin(), heaviest.end(), [](auto* a, auto* b) {
    return a->second.weight != b->second.weight ? a->second.weight > b->second.weight : a->first < b->first;
  });
  if (heaviest.size() > kMerged) heaviest.resize(kMerged);
  std::map<std::string, TopicUse> merged;
  auto& q = db.prepare("SELECT stems FROM topics WHERE topic_pk = ?1");
  for (const auto* use : heaviest)
    if (q.bind(use->first).step()) merged[q.str(0)].add(use->second);
  q.reset();
  std::vector<std::pair<double, std::map<std::string, TopicUse>::iterator>> order;
  for (auto it = merged.begin(); it != merged.end(); ++it)
    order.emplace_back(it->second.rank(), it);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  RankedTopics out;
  for (const auto& [rank, it] : order)
    if (out.size() < kRanked) out.emplace_back(it->first, std::move(it->second));
  return out;
}

TopicCount counted(sqlite::Database& db, const std::string& stems, const TopicUse& use) {
  TopicCount out;
  out.topic = name_of(db, stems);
  out.stems = stems;
  out.exchanges = use.exchanges;
  out.sessions = use.sessions();
  out.span = use.span;
  return out;
}

// Whether all words of `part` stand in `whole`.
bool holds(std::string_view whole, std::string_view part) {
  for (std::size_t begin = 0; begin < part.size();) {
    const std::size_t end = std::min(part.find(' ', begin), part.size());
    const std::string word = " " + std::string(part.substr(begin, end - begin)) + " ";
    if ((" " + std::string(whole) + " ").find(word) == std::string::npos) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace memd::topics
