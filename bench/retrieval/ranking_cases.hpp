#pragma once

#include "bench/retrieval/experiment.hpp"
#include "store/search/rank/hybrid_search.hpp"
#include "store/search/rank/ranking.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::bench {

// An exchange of a home. Exchanges with the same number in `text` have the same text; the tool shows one of them.
struct CaseDocument {
  Hit hit;
  std::size_t text = 0;
};
using CaseDocuments = std::unordered_map<ExchangeId, CaseDocument>;

// The likelihood of the best hit inside a project and of the best one outside.
struct ScopedVerdict {
  double inside = 0;
  double outside = 0;
};

// A question in one mode with its pool of candidates. It can be re-ranked with other weights without the store.
struct RankingCase {
  std::string part;
  bool by_meaning = false;
  Question question;
  search::HybridSearch::Pool pool;
  std::vector<search::HybridSearch::Pool> also;  // pools of the alternative phrasings
  std::shared_ptr<const CaseDocuments> documents;
  std::vector<ScopedVerdict> verdicts{};  // if the plan asks in projects, used instead of pools: alone, and with `also`

  bool has(std::string_view group) const;
  std::string dialog() const;  // the group named after its dialog; empty: none
};

// The first ten hits: ten different exchanges, or for Unit::session exchanges of ten sessions.
struct CaseAnswer {
  RankedList list;
  std::vector<RankingFeatures> features;  // features of the hits
};
CaseAnswer answer(const RankingCase& c, Unit unit, const search::RankingWeights& weights);

// The questions of the groups "train" and "test" in the modes lexical and hybrid. Candidates come from the stores of
// their homes, in this process. One thread; owns the cases.
class RankingCases {
 public:
  // Throws std::runtime_error.
  void add(const Experiment::Plan& plan, const IndexedHome& home, const std::vector<Question>& questions);

  // Writes the results for each question and phrasing, one JSON object a line, without texts.
  void dump(const std::filesystem::path& file) const;

  const std::vector<RankingCase>& all() const { return cases_; }
  const std::map<std::string, Experiment::Plan>& plans() const { return plans_; }  // by part

 private:
  std::vector<RankingCase> cases_;
  std::map<std::string, Experiment::Plan> plans_;
};

}  // namespace memd::bench
