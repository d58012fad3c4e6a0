#pragma once

#include "schemas/query.hpp"

namespace memd::search {

struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title, identifier, date
};

}  // namespace memd::search
