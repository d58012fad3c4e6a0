#include "store/enrich/topics/topic_rows.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace memd::topics {
namespace {

std::int64_t topic_pk(sqlite::Database& db, const TopicMention& t) {
  db.prepare("INSERT INTO topics (topic, stems) VALUES (?1, iif(?2 = '', ?1, ?2)) ON CONFLICT DO NOTHING")
      .bind(t.topic, t.stems)
      .run();
  auto& q = db.prepare("SELECT topic_pk FROM topics WHERE topic = ?").bind(t.topic);
  q.step();
  const std::int64_t pk = q.int64(0);
  q.reset();
  return pk;
}

}  // namespace

void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics) {
  std::map<std::int64_t, double> wanted;
  for (const TopicMention& t : topics)
    if (!t.topic.empty()) {
      double& relevance = wanted[topic_pk(db, t)];
      relevance = std::max(relevance, std::clamp(t.relevance, 0.0, 1.0));
    }
  std::vector<std::int64_t> dropped;
  auto& q = db.prepare("SELECT topic_pk, relevance_score FROM exchange_topics WHERE exchange_pk = ?").bind(id);
  while (q.step()) {
    const auto it = wanted.find(q.int64(0));
    if (it == wanted.end())
      dropped.push_back(q.int64(0));
    else if (it->second == q.real(1))
      wanted.erase(it);
  }
  q.reset();
  for (const auto& [pk, relevance] : wanted)
    db.prepare(
          "INSERT INTO exchange_topics (topic_pk, exchange_pk, relevance_score) VALUES (?, ?, ?)"
          " ON CONFLICT DO UPDATE SET relevance_score = excluded.relevance_score")
        .bind(pk, id, relevance)
        .run();
  for (const std::int64_t pk : dropped)
    db.prepare("DELETE FROM exchange_topics WHERE topic_pk = ? AND exchange_pk = ?").bind(pk, id).run();
}

}  // namespace memd::topics
