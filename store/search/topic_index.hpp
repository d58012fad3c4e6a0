#pragma once

#include "schemas/topic.hpp"
#include "store/db/database.hpp"

#include <string>
#include <vector>

// What was talked about, from the stored topics alone. not_found or invalid_argument when filter.session names no
// session or several.
namespace memd {

// Of topics that hold one another ("cache", "cache key") the one talked about most is listed.
struct TopicListQuery {
  QueryFilter filter;
  int limit = 20;
  int offset = 0;

  using Answer = TopicList;
  Answer run(sqlite::Database& db) const;
};

// Exchanges about one topic, and the topics near it.
struct TopicQuery {
  std::string text;  // as the user named it
  QueryFilter filter;
  std::vector<ExchangeId> found{};  // what a search for it found: their topics are near it
  int limit = 100;                  // exchanges

  using Answer = TopicFinding;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
