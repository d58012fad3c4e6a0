#pragma once

#include "bench/retrieval/experiment.hpp"
#include "store/search/rank/fusion.hpp"
#include "store/search/rank/hybrid_search.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::bench {

// Exchanges of one home by id, and which of them have the same text: of these the tool shows one.
struct CaseDocument {
  Hit hit;
  std::size_t text = 0;
};
using CaseDocuments = std::unordered_map<ExchangeId, CaseDocument>;

// A question in one mode, with all that is ranked for it: what other weights would make of it needs no store.
struct RankingCase {
  std::string part;
  bool by_meaning = false;
  Question question;
  search::HybridSearch::Pool pool;
  std::shared_ptr<const CaseDocuments> documents;

  bool has(std::string_view group) const;
  std::string dialog() const;  // the group that names it; empty: of none
};

// The first of an answer: ten different exchanges, of a case about sessions those of ten sessions.
struct CaseAnswer {
  RankedList list;
  std::vector<RankingFeatures> features;  // of the hits
};
CaseAnswer answer(const RankingCase& c, Unit unit, const search::RankingWeights& weights);

// The questions that are there to fit on or to report on (groups "train" and "test"), in the modes lexical and hybrid,
// asked of the stores of their homes in this process.
class RankingCases {
 public:
  // Throws std::runtime_error.
  void add(const Experiment::Plan& plan, const IndexedHome& home, const std::vector<Question>& questions);

  const std::vector<RankingCase>& all() const { return cases_; }
  const std::map<std::string, Experiment::Plan>& plans() const { return plans_; }  // by part

 private:
  std::vector<RankingCase> cases_;
  std::map<std::string, Experiment::Plan> plans_;
};

}  // namespace memd::bench
