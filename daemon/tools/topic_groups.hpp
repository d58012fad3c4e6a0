#pragma once

#include "schemas/query.hpp"
#include "schemas/topic.hpp"
#include "store/reader.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memd::tools {

// The exchanges of one session that are about a topic.
struct TopicGroup {
  std::vector<const SearchHit*> by_rank;  // best first
  std::vector<const SearchHit*> by_time;
};

// All that is about a topic: what search finds together with what has it among its stored topics.
struct TopicMaterial {
  std::vector<SearchHit> hits;       // best first; what `sessions` points into
  std::vector<TopicGroup> sessions;  // in order of their first hit
  std::vector<TopicCount> names;     // what it is called there, the most used first
  std::vector<TopicCount> related;
  bool more = false;   // only the best were looked at
  std::string notice;  // what the search could not do; may be empty
};

inline constexpr int kTopicExchanges = 100;

// `embedded`: as Reader::search takes it.
Result<TopicMaterial> gather_topic(Reader& reader, const std::string& topic, const QueryFilter& filter,
                                   const std::function<void()>& embedded = {});

}  // namespace memd::tools
