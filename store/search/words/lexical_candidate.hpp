#pragma once

#include "schemas/query.hpp"

#include <cstdint>

namespace memd::search {

struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title, identifier, brevity, date
  std::uint64_t terms = 0;   // bit i: term i of the plan stands in it
};

}  // namespace memd::search
