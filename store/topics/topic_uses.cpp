#include "store/topics/topic_uses.hpp"

#include "store/queries/row_filter.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace memd::topics {
namespace {

constexpr std::size_t kLooked = 600;  // topics that are looked at closely, the heaviest

// The form of a topic that is used most.
std::string name_of(sqlite::Database& db, std::string_view stems) {
  auto& q = db.prepare(
                  "SELECT t.topic, (SELECT count(*) FROM exchange_topics x WHERE x.topic_pk = t.topic_pk) AS uses"
                  " FROM topics t WHERE t.stems = ?1 ORDER BY uses DESC, t.topic_pk LIMIT 1")
                .bind(stems);
  std::string out = q.step() ? q.str(0) : std::string(stems);
  q.reset();
  return out;
}

// Of a whole store only the heaviest topics are looked at closely.
UseByTopic uses_in_all(sqlite::Database& db) {
  auto& heaviest = db.prepare(
                         "SELECT topic_pk FROM exchange_topics GROUP BY topic_pk"
                         " ORDER BY sum(relevance_score) DESC, topic_pk LIMIT ?1")
                       .bind(static_cast<std::int64_t>(kLooked));
  UseByTopic uses;
  while (heaviest.step())
    uses[heaviest.int64(0)];
  heaviest.reset();
  auto& q = db.prepare(
      "SELECT e.session_pk, e.started_at, x.relevance_score FROM exchange_topics x"
      " JOIN exchanges e USING (exchange_pk) WHERE x.topic_pk = ?1");
  for (auto& [topic, use] : uses) {
    q.bind(topic);
    while (q.step())
      use.add(q.int64(0), q.int64(1), q.real(2));
  }
  q.reset();
  return uses;
}

}  // namespace

void TopicUse::add(std::int64_t session, TimeMs time, double relevance) {
  weight += relevance;
  ++exchanges;
  sessions.insert(session);
  span.start = span.start == 0 ? time : std::min(span.start, time);
  span.end = std::max(span.end, time);
}

void TopicUse::add(const TopicUse& other) {
  weight += other.weight;
  exchanges += other.exchanges;
  sessions.insert(other.sessions.begin(), other.sessions.end());
  span.start = span.start == 0 ? other.span.start : std::min(span.start, other.span.start);
  span.end = std::max(span.end, other.span.end);
}

double TopicUse::rank() const {
  return exchanges == 0 ? 0
                        : weight / std::sqrt(static_cast<double>(exchanges)) *
                              (1 + std::log2(static_cast<double>(std::max<std::size_t>(sessions.size(), 1))));
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
  if (filter.unrestricted()) return uses_in_all(db);
  UseByTopic uses;
  if (filter.by_session()) {
    auto& q = db.prepare("SELECT exchange_pk, started_at FROM exchanges WHERE session_pk = ?1");
    for (const std::int64_t session : filter.sessions()) {
      q.bind(session);
      while (q.step())
        if (filter.passes(session, q.int64(1))) add_exchange(db, uses, q.int64(0), session, q.int64(1));
    }
    q.reset();
    return uses;
  }
  auto& q =
      db.prepare("SELECT exchange_pk, session_pk, started_at FROM exchanges WHERE started_at >= ?1 AND started_at < ?2")
          .bind(filter.since(), filter.until());
  while (q.step())
    add_exchange(db, uses, q.int64(0), q.int64(1), q.int64(2));
  q.reset();
  return uses;
}

// One entry for all topics of the same stems, heaviest first.
RankedTopics merged_by_stems(sqlite::Database& db, const UseByTopic& uses) {
  std::map<std::string, TopicUse> merged;
  auto& q = db.prepare("SELECT stems FROM topics WHERE topic_pk = ?1");
  for (const auto& [topic, use] : uses)
    if (q.bind(topic).step()) merged[q.str(0)].add(use);
  q.reset();
  RankedTopics out(merged.begin(), merged.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second.rank() > b.second.rank(); });
  if (out.size() > kLooked) out.resize(kLooked);
  return out;
}

TopicCount counted(sqlite::Database& db, const std::string& stems, const TopicUse& use) {
  TopicCount out;
  out.topic = name_of(db, stems);
  out.stems = stems;
  out.exchanges = use.exchanges;
  out.sessions = static_cast<std::int64_t>(use.sessions.size());
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
