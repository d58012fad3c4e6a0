#pragma once

#include "schemas/query.hpp"
#include "store/search/words/query_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::search {

// Where a term stands in one document.
struct TermHits {
  double weight = 0;                 // occurrences; less than 1 each of a guess
  std::vector<std::int64_t> places;  // column << 32 | word, sorted; the first ones
};

// What a document is by its words.
struct Match {
  double score = 0;
  RankingFeatures features;  // bm25 (1 from 1.6 · Σ idf on), coverage, adjacency
  std::uint64_t terms = 0;   // bit i: term i of the plan stands in it
};

// An exchange that words speak for.
struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title, identifier, brevity, date
  std::uint64_t terms = 0;   // bit i: term i of the plan stands in it
};

// Scores documents by the words they hold:
//
//   0.85 · (0.6 · bm25 / (2.2 · Σ idf) + 0.4 · idf-weighted share of the terms found) + 0.10 · share of neighbouring
//   terms found side by side
//
// so that 0.95 means "all of it, often, in this order" for any query; the title of the session adds the rest.
// Immutable, so any thread may use it; the plan must outlive it.
class MatchScorer {
 public:
  explicit MatchScorer(const QueryPlan& plan);

  // `hits` as plan.terms; length in units of the mean. 0 is the best length there is.
  Match match(std::span<const TermHits> hits, double length_ratio) const;
  // The most that a document can score that holds terms of this weight (Σ idf · found_weight).
  double bound(double found_idf) const;
  // The same when a bound of its bm25 (Σ idf · found_weight · saturated()) and its terms are known, too.
  double bound(double found_idf, double bm25, std::uint64_t terms) const;

  // How soon further occurrences of a term stop counting in a document of this length.
  static double softness(double length_ratio) { return kK1 * (1 - kB + kB * length_ratio); }
  static double saturated(double weight, double softness) { return weight * (kK1 + 1) / (weight + softness); }

  static constexpr double kTitleWeight = 0.05;
  static constexpr double kNeighbourWeight = 0.10;
  static constexpr double kTextWeight = 1 - kTitleWeight - kNeighbourWeight;

 private:
  static constexpr double kK1 = 1.2;
  static constexpr double kB = 0.75;

  struct Neighbours {
    std::size_t first;
    std::size_t second;
    std::int64_t reach;   // words from the one to the other
    std::uint64_t terms;  // a bit each
  };
  double side_by_side(std::span<const TermHits> hits, double coverage) const;

  const QueryPlan& plan_;
  std::vector<Neighbours> neighbours_;
};

// RankingFeatures::brevity of a text of so many words.
double brevity_of(std::int64_t words);

}  // namespace memd::search
