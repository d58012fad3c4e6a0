#pragma once

#include "schemas/ids.hpp"
#include "schemas/query.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Questions about what was talked about.
namespace memd {

struct TopicCount {
  std::string topic;  // as it is written most
  std::string stems;  // of its words, joined by blanks
  std::int64_t exchanges = 0;
  std::int64_t sessions = 0;
  TimeRange span;  // from the first to the last of these exchanges
};

struct TopicList {
  std::vector<TopicCount> topics;  // what was talked about most first
  std::int64_t total = 0;          // topics there are to list
};

// An exchange that has the topic itself, or one that holds all of its words.
struct TopicExchange {
  ExchangeId id = 0;
  std::string session_uid;
  std::string project;  // its name; empty: none
  TimeMs time = 0;
  double relevance = 0;  // 0…1
};

struct TopicFinding {
  std::vector<TopicExchange> exchanges;  // best first
  std::vector<TopicCount> names;         // the topics they have it by, most used first; empty: it is stored by no name
  std::vector<TopicCount> related;       // of these exchanges and of TopicQuery::found, nearest first
};

}  // namespace memd
