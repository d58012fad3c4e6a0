#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/search/words/query_parser.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd::search {

struct ExchangePlace {
  std::int64_t session = 0;
  std::int64_t number = 0;  // in its session
  TimeMs started_at = 0;
  std::int64_t content_hash = 0;  // 0: none
  bool abandoned = false;         // on an abandoned branch of the session
};

// Cache of the session, number and time of exchanges for one query. For one transaction at a time, on the thread of
// the connection, which must outlive it.
class ExchangePlaces {
 public:
  explicit ExchangePlaces(sqlite::Database& db) : db_(db) {}

  void forget() {  // at the start of each query
    known_.clear();
    any_abandoned_.reset();
  }
  // Returns null when there is no such exchange: the vector index can lag behind the store. Valid until forget().
  const ExchangePlace* find(ExchangeId id);

 private:
  struct Known {
    bool exists = false;
    ExchangePlace place;
  };
  bool any_abandoned();  // whether the store has abandoned exchanges; most have none

  sqlite::Database& db_;
  std::unordered_map<ExchangeId, Known> known_;
  std::optional<bool> any_abandoned_;
};

// Decides which exchanges a search may return. A condition that an index answers becomes a list of exchanges at the
// start, or a bit map by id when there are many. passes() looks up the other conditions, and only candidates that score
// high enough are tested.
//
// For one query, on the thread of the connection; `places` must outlive it. Throws ErrorException.
class CandidateFilter {
 public:
  // Throws not_found or invalid_argument when filter.session names no session or several.
  CandidateFilter(sqlite::Database& db, ExchangePlaces& places, const QueryFilter& filter, const ParsedQuery& typed);

  bool passes(ExchangeId id);
  // Returns false when the exchange cannot pass. Reads no rows, and does not test a short list().
  bool may_pass(ExchangeId id) const {
    return !allowed_ || (static_cast<std::size_t>(id) < allowed_->size() && (*allowed_)[static_cast<std::size_t>(id)]);
  }
  bool unrestricted() const {
    return !list_ && !allowed_ && !sessions_ && !check_time_ && paths_.empty() && tools_.empty();
  }
  // Returns the exchanges that can pass, sorted, when they are few. Empty: there is no list, or none can pass.
  std::span<const ExchangeId> list() const {
    return list_ ? std::span<const ExchangeId>(*list_) : std::span<const ExchangeId>();
  }
  bool is_list() const { return list_.has_value(); }

  // Exchanges outside of these ids do not pass.
  ExchangeId first_id() const;
  ExchangeId last_id() const;
  TimeMs since() const { return since_; }  // inclusive
  TimeMs until() const { return until_; }  // exclusive

 private:
  using Ids = std::vector<ExchangeId>;  // sorted

  void restrict_sessions(const QueryFilter& filter, const ParsedQuery& typed);
  void restrict_observed(ObservationType type);
  void restrict_time();
  void restrict_paths();
  void restrict_tools(const std::vector<std::string>& parts);
  std::optional<Ids> ids_of_sessions(std::int64_t exchanges);
  void restrict_to(Ids ids);
  void list_or_allow(Ids ids);
  void allow(const Ids& ids);
  bool is_most(TimeMs since, TimeMs until);
  void leave_out_other_times();
  bool touches_paths(std::int64_t session, std::int64_t number);
  bool calls_tools(ExchangeId id);

  sqlite::Database& db_;
  ExchangePlaces& places_;
  std::optional<Ids> list_;
  std::optional<std::vector<bool>> allowed_;  // by id, of many: a vector scan tests most of them
  std::optional<std::unordered_set<std::int64_t>> sessions_;
  bool check_time_ = false;
  TimeMs since_ = 0;
  TimeMs until_ = std::numeric_limits<TimeMs>::max();
  std::vector<std::string> paths_;
  std::vector<std::vector<std::int64_t>> tools_;  // an exchange has to call one tool of each group
};

}  // namespace memd::search
