#pragma once

#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <unordered_map>

namespace memd::search {

struct ExchangePlace {
  std::int64_t session = 0;
  std::int64_t number = 0;  // in its session
  TimeMs started_at = 0;
  std::int64_t content_hash = 0;  // 0: none
};

// Where exchanges stand, looked up once for each question. For one transaction at a time, on one connection.
class ExchangePlaces {
 public:
  explicit ExchangePlaces(sqlite::Database& db) : db_(db) {}

  void forget() { known_.clear(); }  // at the start of a question
  // Null when there is no such exchange: a vector may be a moment older than what it was made of. Valid until forget().
  const ExchangePlace* find(ExchangeId id);

 private:
  struct Known {
    bool exists = false;
    ExchangePlace place;
  };
  sqlite::Database& db_;
  std::unordered_map<ExchangeId, Known> known_;
};

}  // namespace memd::search
