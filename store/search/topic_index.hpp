#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// Queries over the stored topics. They fail with not_found or invalid_argument when filter.session names no session
// or several.
namespace memd {

// Lists topics. When one contains another ("cache", "cache key"), only the one talked about most is listed.
struct TopicListQuery {
  QueryFilter filter;
  int limit = 20;
  int offset = 0;

  using Answer = TopicList;
  Answer run(sqlite::Database& db) const;
};

// The topics of one exchange, the most relevant first, named as they are written in it.
struct ExchangeTopicsQuery {
  ExchangeId id = 0;
  int limit = 6;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Exchanges about one topic, and the topics near it.
struct TopicQuery {
  std::string text;  // as the user named it
  QueryFilter filter;
  std::vector<ExchangeId> found{};  // hits of a search for `text`; their topics count as near
  int limit = 100;                  // exchanges

  using Answer = TopicFinding;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

// Counts how often topics are used in a part of the history. On the thread of the connection; functions throw
// ErrorException.
namespace memd::topics {

struct TopicUse {
  double weight = 0;  // sum of relevance
  std::int64_t exchanges = 0;
  TimeRange span;

  void add(std::int64_t session, TimeMs time, double relevance);
  void add(const TopicUse& other);
  std::int64_t sessions() const;
  // Ranks by weight. A topic of many sessions ranks above one that a single session repeats.
  double rank() const;

 private:
  std::vector<std::int64_t> sessions_;  // session of each exchange; repeats in a row are dropped
};
using UseByTopic = std::unordered_map<std::int64_t, TopicUse>;       // by topic_pk
using RankedTopics = std::vector<std::pair<std::string, TopicUse>>;  // stems → use, ordered by rank()

// Decides which exchanges pass a QueryFilter. The constructor reads `db` and copies what it needs; afterwards any
// thread may call it.
class TopicFilter {
 public:
  TopicFilter(sqlite::Database& db, const QueryFilter& filter);

  bool passes(ExchangeId id, std::int64_t session, TimeMs time) const {
    return time >= since_ && time < until_ && (!by_session_ || sessions_.contains(session)) &&
           (!observed_ || observed_->contains(id));
  }
  bool by_session() const { return by_session_; }
  const std::unordered_set<std::int64_t>& sessions() const { return sessions_; }  // empty unless by_session()
  TimeMs since() const { return since_; }
  TimeMs until() const { return until_; }

 private:
  TimeMs since_;
  TimeMs until_ = std::numeric_limits<TimeMs>::max();
  bool by_session_ = false;
  std::unordered_set<std::int64_t> sessions_;
  std::optional<std::unordered_set<ExchangeId>> observed_;
};

// Adds the topics of one exchange to `uses`.
void add_exchange(sqlite::Database& db, UseByTopic& uses, ExchangeId id, std::int64_t session, TimeMs time);
UseByTopic uses_in(sqlite::Database& db, const TopicFilter& filter);

// Merges topics with the same stems into one entry. Keeps the highest ranks only.
RankedTopics merged_by_stems(sqlite::Database& db, const UseByTopic& uses);

TopicCount counted(sqlite::Database& db, const std::string& stems, const TopicUse& use);

// Returns whether `whole` contains all words of `part`; both are stems joined by blanks.
bool holds(std::string_view whole, std::string_view part);

}  // namespace memd::topics
