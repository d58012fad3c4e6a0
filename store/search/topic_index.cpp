#include "store/search/topic_index.hpp"

#include "schemas/ascii.hpp"
#include "store/read/row_filter.hpp"
#include "store/search/topic_uses.hpp"
#include "store/search/words/index_tokenizer.hpp"
#include "store/text/stop_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

namespace memd {
namespace topics {
namespace {

constexpr std::size_t kRelated = 8;
constexpr std::size_t kNames = 12;

// Whether one of them is the same in fewer words, or in more.
bool is_part_of(const RankedTopics& topics, std::string_view stems) {
  return std::any_of(topics.begin(), topics.end(),
                     [&](const auto& t) { return holds(stems, t.first) || holds(t.first, stems); });
}

// Of topics that hold one another, the one talked about most stands for all.
RankedTopics without_parts(const RankedTopics& all) {
  RankedTopics out;
  for (const auto& topic : all)
    if (!is_part_of(out, topic.first)) out.push_back(topic);
  return out;
}

// The stems of a question's words, without those that carry nothing.
std::string asked_stems(sqlite::Database& db, std::string_view text) {
  const search::IndexTokenizer tokenizer(db.handle());
  std::vector<search::Token> tokens;
  tokenizer.tokenize(text, tokens);
  std::string all;
  std::string telling;
  for (const search::Token& t : tokens) {
    all.append(all.empty() ? "" : " ").append(t.stem);
    if (search::is_stop_word(ascii::lowered(text.substr(t.start, t.end - t.start)))) continue;
    telling.append(telling.empty() ? "" : " ").append(t.stem);
  }
  return telling.empty() ? all : telling;
}

struct NamedTopic {
  std::int64_t pk = 0;
  std::string stems;
};

// Topics that are what was asked for, or begin with it.
std::vector<NamedTopic> topics_named(sqlite::Database& db, const std::string& asked) {
  constexpr std::int64_t kForms = 400;
  auto& q = db.prepare(
                  "SELECT topic_pk, stems FROM topics WHERE stems = ?1 OR (stems >= ?1 || ' ' AND stems < ?1 || '!')"
                  " LIMIT ?2")
                .bind(asked, kForms);
  std::vector<NamedTopic> out;
  while (q.step())
    out.push_back({q.int64(0), q.str(1)});
  q.reset();
  return out;
}

// Finds the exchanges that have a topic, by its names.
class TopicFinder {
 public:
  TopicFinder(sqlite::Database& db, const TopicQuery& question)
      : db_(db), question_(question), filter_(db, question.filter), asked_(asked_stems(db, question.text)) {}

  TopicFinding run() {
    if (!asked_.empty())
      for (const NamedTopic& topic : topics_named(db_, asked_))
        take(topic);
    // Topics that hold all words asked for, in any order, are known by exchanges around.
    RankedTopics around = topics_around();
    if (!asked_.empty())
      for (const auto& [stems, use] : around)
        if (!names_.contains(stems) && holds(stems, asked_)) take_all_forms(stems);
    TopicFinding out;
    name(out);
    relate(around, out);
    for (const auto& [id, found] : best())
      out.exchanges.push_back(described(id, found));
    return out;
  }

 private:
  struct Found {
    std::int64_t session = 0;
    TimeMs time = 0;
    double relevance = 0;
  };

  void take(const NamedTopic& topic) {
    if (!taken_.insert(topic.pk).second) return;
    constexpr std::int64_t kMost = 5000;
    auto& q =
        db_.prepare(
               "SELECT x.exchange_pk, x.relevance_score, e.session_pk, e.started_at FROM"
               " (SELECT exchange_pk, relevance_score FROM exchange_topics WHERE topic_pk = ?1"
               "  ORDER BY relevance_score DESC, exchange_pk DESC LIMIT ?2) x JOIN exchanges e USING (exchange_pk)")
            .bind(topic.pk, kMost);
    const double factor = topic.stems == asked_ ? 1.0 : 0.8;
    TopicUse use;
    while (q.step()) {
      const Found found{q.int64(2), q.int64(3), q.real(1) * factor};
      if (!filter_.passes(found.session, found.time)) continue;
      use.add(found.session, found.time, found.relevance);
      Found& known = exchanges_.try_emplace(q.int64(0), found).first->second;
      known.relevance = std::max(known.relevance, found.relevance);
    }
    q.reset();
    if (use.exchanges > 0) names_[topic.stems].add(use);
  }

  void take_all_forms(const std::string& stems) {
    std::vector<NamedTopic> forms;
    auto& q = db_.prepare("SELECT topic_pk FROM topics WHERE stems = ?1").bind(stems);
    while (q.step())
      forms.push_back({q.int64(0), stems});
    q.reset();
    for (const NamedTopic& topic : forms)
      take(topic);
  }

  std::vector<std::pair<ExchangeId, Found>> best() const {
    std::vector<std::pair<ExchangeId, Found>> out(exchanges_.begin(), exchanges_.end());
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.second.relevance > b.second.relevance; });
    const auto most = static_cast<std::size_t>(std::max(question_.limit, 0));
    if (out.size() > most) out.resize(most);
    return out;
  }

  RankedTopics topics_around() {
    std::set<ExchangeId> ids(question_.found.begin(), question_.found.end());
    for (const auto& [id, found] : best())
      ids.insert(id);
    UseByTopic uses;
    auto& q = db_.prepare("SELECT session_pk, started_at FROM exchanges WHERE exchange_pk = ?");
    for (const ExchangeId id : ids)
      if (q.bind(id).step()) add_exchange(db_, uses, id, q.int64(0), q.int64(1));
    q.reset();
    return merged_by_stems(db_, uses);
  }

  void name(TopicFinding& out) {
    RankedTopics by_use(names_.begin(), names_.end());
    std::stable_sort(by_use.begin(), by_use.end(), [&](const auto& a, const auto& b) {
      const bool exact = a.first == asked_;
      return exact != (b.first == asked_) ? exact : a.second.exchanges > b.second.exchanges;
    });
    for (const auto& [stems, use] : by_use)
      if (out.names.size() < kNames) out.names.push_back(counted(db_, stems, use));
  }

  // What these exchanges have more of than the rest of the history comes first.
  void relate(RankedTopics& around, TopicFinding& out) {
    constexpr std::size_t kWeighed = 60;
    if (around.size() > kWeighed) around.resize(kWeighed);
    std::vector<std::pair<double, const RankedTopics::value_type*>> order;
    auto& q = db_.prepare(
        "SELECT count(*) FROM (SELECT 1 FROM topics t JOIN exchange_topics x USING (topic_pk) WHERE t.stems = ?1"
        " LIMIT 5000)");
    for (const auto& topic : around) {
      const auto& [stems, use] = topic;
      if (names_.contains(stems) || (!asked_.empty() && (holds(stems, asked_) || holds(asked_, stems)))) continue;
      const double all = q.bind(stems).step() ? static_cast<double>(std::max<std::int64_t>(q.int64(0), 1)) : 1;
      order.emplace_back(use.rank() * std::sqrt(static_cast<double>(use.exchanges) / all), &topic);
    }
    q.reset();
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    RankedTopics chosen;
    for (const auto& [weight, topic] : order)
      if (chosen.size() < kRelated && !is_part_of(chosen, topic->first)) chosen.push_back(*topic);
    for (const auto& [stems, use] : chosen)
      out.related.push_back(counted(db_, stems, use));
  }

  TopicExchange described(ExchangeId id, const Found& found) {
    TopicExchange out{id, {}, {}, found.time, found.relevance};
    auto& q = db_.prepare(
                     "SELECT s.uid, p.name FROM sessions s LEFT JOIN projects p USING (project_pk)"
                     " WHERE s.session_pk = ?1")
                  .bind(found.session);
    if (q.step()) {
      out.session_uid = q.str(0);
      out.project = q.str(1);
    }
    q.reset();
    return out;
  }

  sqlite::Database& db_;
  const TopicQuery& question_;
  const TopicFilter filter_;
  const std::string asked_;
  std::map<ExchangeId, Found> exchanges_;
  std::map<std::string, TopicUse> names_;  // by stems
  std::unordered_set<std::int64_t> taken_;
};

}  // namespace

}  // namespace topics

TopicList TopicListQuery::run(sqlite::Database& db) const {
  using namespace topics;
  const TopicFilter passing(db, filter);
  const RankedTopics ranked = without_parts(merged_by_stems(db, uses_in(db, passing)));
  TopicList out;
  out.total = static_cast<std::int64_t>(ranked.size());
  const auto first = std::min(ranked.size(), static_cast<std::size_t>(std::max(offset, 0)));
  const auto last = std::min(ranked.size(), first + static_cast<std::size_t>(std::max(limit, 0)));
  for (std::size_t i = first; i < last; ++i)
    out.topics.push_back(counted(db, ranked[i].first, ranked[i].second));
  return out;
}

TopicFinding TopicQuery::run(sqlite::Database& db) const { return topics::TopicFinder(db, *this).run(); }

}  // namespace memd
