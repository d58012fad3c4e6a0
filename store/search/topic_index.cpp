#include "store/search/topic_index.hpp"

#include "schemas/base/ascii.hpp"
#include "store/db/fts5.hpp"
#include "store/db/rows.hpp"
#include "store/read/observations.hpp"
#include "store/read/row_filter.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace memd::topics {
namespace {

constexpr std::size_t kRanked = 600;    // most topics returned
constexpr std::size_t kMerged = 4'000;  // most topics merged into them, the heaviest

// Returns the spelling of a topic that most exchanges use.
std::string name_of(sqlite::Database& db, std::string_view stems) {
  const auto forms =
      db.query("SELECT topic_pk, topic FROM topics WHERE stems = ?1 ORDER BY topic_pk", stems).all([](const auto& q) {
        return std::pair(q.int64(0), q.str(1));
      });
  if (forms.empty()) return std::string(stems);
  if (forms.size() == 1) return forms.front().second;
  auto& count = db.prepare("SELECT count(*) FROM exchange_topics WHERE topic_pk = ?1");
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (const auto row = count.bind(forms[i].first).row(); row && row->int64(0) > most) {
      most = row->int64(0);
      best = i;
    }
  return forms[best].second;
}

struct Place {
  ExchangeId id = 0;
  std::int64_t session = 0;
  TimeMs time = 0;
};

// Returns the exchanges that pass, in order of id. Queries each session if they are few. Otherwise scans by time, which
// an index with the sessions covers.
std::vector<Place> places(sqlite::Database& db, const TopicFilter& filter) {
  constexpr std::size_t kFewSessions = 200;
  std::vector<Place> out;
  if (filter.by_session() && filter.sessions().size() <= kFewSessions) {
    auto& q = db.prepare("SELECT exchange_pk, started_at FROM exchanges WHERE session_pk = ?1");
    for (const std::int64_t session : filter.sessions()) {
      q.bind(session);
      while (q.step())
        if (filter.passes(q.int64(0), session, q.int64(1))) out.push_back({q.int64(0), session, q.int64(1)});
    }
  } else {
    auto& q =
        db.query("SELECT exchange_pk, session_pk, started_at FROM exchanges WHERE started_at >= ?1 AND started_at < ?2",
                 filter.since(), filter.until());
    while (q.step())
      if (filter.passes(q.int64(0), q.int64(1), q.int64(2))) out.push_back({q.int64(0), q.int64(1), q.int64(2)});
  }
  std::sort(out.begin(), out.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
  return out;
}

// Reads the whole table exchange_topics once.
UseByTopic uses_of_many(sqlite::Database& db, const std::vector<Place>& places) {
  UseByTopic uses;
  auto& q = db.prepare("SELECT topic_pk, exchange_pk, relevance_score FROM exchange_topics");
  std::int64_t topic = 0;
  TopicUse* use = nullptr;
  auto at = places.begin();  // the exchanges of a topic come in ascending order
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
  if (filter.observed) {
    const std::vector<ExchangeId> observed = queries::exchanges_observed(db, *filter.observed);
    observed_.emplace(observed.begin(), observed.end());
  }
  if (!by_session_) return;
  static const std::string sql =
      "SELECT s.session_pk FROM sessions s WHERE " + std::string(queries::kSessionConditions);
  const auto c = queries::conditions_of(db, filter);
  auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents);
  while (q.step())
    sessions_.insert(q.int64(0));
}

void add_exchange(sqlite::Database& db, UseByTopic& uses, ExchangeId id, std::int64_t session, TimeMs time) {
  auto& q = db.query("SELECT topic_pk, relevance_score FROM exchange_topics WHERE exchange_pk = ?", id);
  while (q.step())
    uses[q.int64(0)].add(session, time, q.real(1));
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
    if (const auto row = q.bind(use->first).row()) merged[row->str(0)].add(use->second);
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

bool holds(std::string_view whole, std::string_view part) {
  while (!part.empty()) {
    const std::string word = " " + std::string(ascii::take_until(part, ' ')) + " ";
    if ((" " + std::string(whole) + " ").find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace memd::topics

namespace memd {
namespace topics {
namespace {

constexpr std::size_t kRelated = 8;
constexpr std::size_t kNames = 12;

// Returns whether a topic of the list contains `stems` or is contained in it.
bool is_part_of(const RankedTopics& topics, std::string_view stems) {
  return std::any_of(topics.begin(), topics.end(),
                     [&](const auto& t) { return holds(stems, t.first) || holds(t.first, stems); });
}

// Drops topics that contain a higher-ranked topic or are contained in one.
RankedTopics without_parts(const RankedTopics& all) {
  RankedTopics out;
  for (const auto& topic : all)
    if (!is_part_of(out, topic.first)) out.push_back(topic);
  return out;
}

// Returns the stems of the query's words without stop words, or of all words when all are stop words.
std::string asked_stems(sqlite::Database& db, std::string_view text) {
  const search::IndexTokenizer tokenizer(db.handle());
  std::vector<search::Token> tokens;
  tokenizer.tokenize(text, tokens);
  std::string all;
  std::string telling;
  for (const search::Token& t : tokens) {
    all.append(all.empty() ? "" : " ").append(t.stem);
    if (is_stop_word(ascii::lowered(text.substr(t.start, t.end - t.start)))) continue;
    telling.append(telling.empty() ? "" : " ").append(t.stem);
  }
  return telling.empty() ? all : telling;
}

struct NamedTopic {
  std::int64_t pk = 0;
  std::string stems;
};

// Returns the topics whose stems equal `asked` or begin with it.
std::vector<NamedTopic> topics_named(sqlite::Database& db, const std::string& asked) {
  constexpr std::int64_t kForms = 400;
  return db
      .query(
          "SELECT topic_pk, stems FROM topics WHERE stems = ?1 OR (stems >= ?1 || ' ' AND stems < ?1 || '!')"
          " LIMIT ?2",
          asked, kForms)
      .all(sqlite::fields_of<NamedTopic>);
}

// Runs a TopicQuery: finds the exchanges with the topic, its names and related topics.
class TopicFinder {
 public:
  TopicFinder(sqlite::Database& db, const TopicQuery& question)
      : db_(db), question_(question), filter_(db, question.filter), asked_(asked_stems(db, question.text)) {}

  TopicFinding run() {
    if (!asked_.empty())
      for (const NamedTopic& topic : topics_named(db_, asked_))
        take(topic);
    // topics_around() also gives topics that contain all words of the query in another order.
    RankedTopics around = topics_around();
    if (!asked_.empty())
      for (const auto& [stems, use] : around)
        if (!names_.contains(stems) && holds(stems, asked_)) take_all_forms(stems);
    TopicFinding out;
    name(out);
    relate(around, out);
    out.exchanges = best();
    return out;
  }

 private:
  void take(const NamedTopic& topic) {
    if (!taken_.insert(topic.pk).second) return;
    constexpr std::int64_t kMost = 5000;
    auto& q = db_.query(
        "SELECT x.exchange_pk, x.relevance_score, e.session_pk, e.started_at FROM"
        " (SELECT exchange_pk, relevance_score FROM exchange_topics WHERE topic_pk = ?1"
        "  ORDER BY relevance_score DESC, exchange_pk DESC LIMIT ?2) x JOIN exchanges e USING (exchange_pk)",
        topic.pk, kMost);
    const double factor = topic.stems == asked_ ? 1.0 : 0.8;
    TopicUse use;
    while (q.step()) {
      const double relevance = q.real(1) * factor;
      if (!filter_.passes(q.int64(0), q.int64(2), q.int64(3))) continue;
      use.add(q.int64(2), q.int64(3), relevance);
      double& known = exchanges_.try_emplace(q.int64(0), relevance).first->second;
      known = std::max(known, relevance);
    }
    if (use.exchanges > 0) names_[topic.stems].add(use);
  }

  void take_all_forms(const std::string& stems) {
    auto& forms = db_.query("SELECT topic_pk FROM topics WHERE stems = ?1", stems);
    for (const std::int64_t topic : forms.all(sqlite::first_number))
      take({topic, stems});
  }

  std::vector<TopicExchange> best() const {
    std::vector<TopicExchange> out;
    for (const auto& [id, relevance] : exchanges_)
      out.push_back({id, relevance});
    std::stable_sort(out.begin(), out.end(),
                     [](const TopicExchange& a, const TopicExchange& b) { return a.relevance > b.relevance; });
    const auto most = static_cast<std::size_t>(std::max(question_.limit, 0));
    if (out.size() > most) out.resize(most);
    return out;
  }

  RankedTopics topics_around() {
    std::set<ExchangeId> ids(question_.found.begin(), question_.found.end());
    for (const TopicExchange& exchange : best())
      ids.insert(exchange.id);
    UseByTopic uses;
    auto& q = db_.prepare("SELECT session_pk, started_at FROM exchanges WHERE exchange_pk = ?");
    for (const ExchangeId id : ids)
      if (const auto row = q.bind(id).row()) add_exchange(db_, uses, id, row->int64(0), row->int64(1));
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

  // Orders topics by how much more frequent they are here than in the whole history.
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
      const auto all = static_cast<double>(std::max<std::int64_t>(q.bind(stems).value_or(1), 1));
      order.emplace_back(use.rank() * std::sqrt(static_cast<double>(use.exchanges) / all), &topic);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    RankedTopics chosen;
    for (const auto& [weight, topic] : order)
      if (chosen.size() < kRelated && !is_part_of(chosen, topic->first)) chosen.push_back(*topic);
    for (const auto& [stems, use] : chosen)
      out.related.push_back(counted(db_, stems, use));
  }

  sqlite::Database& db_;
  const TopicQuery& question_;
  const TopicFilter filter_;
  const std::string asked_;
  std::map<ExchangeId, double> exchanges_;  // exchange → relevance
  std::map<std::string, TopicUse> names_;   // by stems
  std::unordered_set<std::int64_t> taken_;  // topic_pk
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

std::vector<std::string> ExchangeTopicsQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT t.topic, t.stems FROM exchange_topics x JOIN topics t USING (topic_pk)"
      " WHERE x.exchange_pk = ?1 ORDER BY x.relevance_score DESC, x.topic_pk",
      id);
  std::vector<std::string> out;
  std::vector<std::string> told;  // stems
  while (out.size() < static_cast<std::size_t>(std::max(limit, 0)) && q.step()) {
    const std::string stems = q.str(1);
    if (std::any_of(told.begin(), told.end(),
                    [&](const auto& t) { return topics::holds(t, stems) || topics::holds(stems, t); }))
      continue;
    told.push_back(stems);
    out.push_back(q.str(0));
  }
  q.reset();
  return out;
}

TopicFinding TopicQuery::run(sqlite::Database& db) const { return topics::TopicFinder(db, *this).run(); }

}  // namespace memd
