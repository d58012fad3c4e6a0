#pragma once

#include "schemas/ids.hpp"
#include "schemas/ranking_features.hpp"
#include "store/search/words/query_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memd::search {

// The occurrences of a term in one document.
struct TermHits {
  double weight = 0;                 // number of occurrences; a guess counts less than 1 each
  std::vector<std::int64_t> places;  // column << 32 | word, sorted; only the first
};

// The lexical score and features of a document.
struct Match {
  double score = 0;
  RankingFeatures features;  // bm25 (1 from 1.6 · Σ idf on), coverage, adjacency
  std::uint64_t terms = 0;   // bit i: the document contains term i of the plan
};

// A candidate of the lexical search.
struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title, identifier, brevity, date
  std::uint64_t terms = 0;   // bit i: the exchange contains term i of the plan
};

// Scores documents by the words they contain:
//
//   0.85 · (0.6 · bm25 / (2.2 · Σ idf) + 0.4 · idf-weighted share of the terms found) + 0.10 · share of neighbouring
//   terms found side by side
//
// For any query, 0.95 means that all terms occur, often and in this order. The title of the session adds the rest.
// Immutable: any thread may use it. The plan must outlive it.
class MatchScorer {
 public:
  explicit MatchScorer(const QueryPlan& plan);

  // Scores a document. `hits` is parallel to plan.terms. `length_ratio`: length / mean length; 0 gives the highest
  // score.
  Match match(std::span<const TermHits> hits, double length_ratio) const;
  // Returns an upper bound of the score of a document with terms of this weight (Σ idf · found_weight).
  double bound(double found_idf) const;
  // Returns a tighter bound from its terms and an upper bound of its bm25 (Σ idf · found_weight · saturated()).
  double bound(double found_idf, double bm25, std::uint64_t terms) const;

  // Returns the saturation constant of bm25 for a document of this length. With a larger one, repeated occurrences
  // count longer.
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
    std::int64_t reach;   // most words from the first to the second
    std::uint64_t terms;  // one bit per term
  };
  double side_by_side(std::span<const TermHits> hits, double coverage) const;

  const QueryPlan& plan_;
  std::vector<Neighbours> neighbours_;
};

// Returns RankingFeatures::brevity of a text with this number of words.
double brevity_of(std::int64_t words);

}  // namespace memd::search
