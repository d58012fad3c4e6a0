#pragma once

#include "store/db/database.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_plan.hpp"

#include <cstdint>
#include <unordered_map>

namespace memd::search {

// The words of session titles. In the transaction of the question; throws ErrorException.
class TitleIndex {
 public:
  explicit TitleIndex(sqlite::Database& db) : index_(db, "session_titles") {}

  void refresh() { index_.refresh(); }
  bool holds(const TermForm& form);  // some title, all of its words
  // session_pk → share (0…1, by idf) of the query's terms that stand in its title; sessions without any are left out.
  std::unordered_map<std::int64_t, double> shares(const QueryPlan& plan);

 private:
  FullTextIndex index_;
};

}  // namespace memd::search
