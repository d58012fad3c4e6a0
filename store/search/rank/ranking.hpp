#pragma once

#include "schemas/query.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::search {

// What each feature of RankingFeatures adds to a score, where bm25 adds 1. Fitted by `retrieval_bench --fit`, but for
// those from `title` on, which its questions do not reward; docs/benchmarks.md has the figures.
struct RankingWeights {
  double bm25 = 1.0;
  double adjacency = 0.25;
  double identifier = 1.0;
  double date = 1.0;
  double meaning = 1.0;  // of closeness()
  double tokens = 1.5;   // of nearness token by token
  // As far as a text is too short to speak for itself, by `brevity`:
  double coverage = 1.0;  // of focused_coverage()
  double neighbour_turns = 1.0;
  double surroundings = 1.0;
  // As far as it is not, bm25 once more. In a long text every word stands by chance, so which do says little.
  double self_contained = 2.0;
  double title = 0.25;
  double recency = 0.05;
  double same_project = 0.1;
  double decision = 0.25;
  double verbatim = 3.0;  // chosen on lines drawn from a history: docs/decisions/0002-ranking-weights.md
  // What is left of the score of an exchange that its session has left for another branch; of one of a session that
  // another one started.
  double abandoned = 0.75;
  double subagent = 0.8;
};
inline constexpr RankingWeights kRankingWeights{};

// How much the exchanges around a hit say about it, by their distance; the one before asks what the hit answers.
inline constexpr double kBefore[] = {1.0, 0.5};
inline constexpr double kAfter[] = {0.75, 0.5};
// Exchanges before and after whose words count for `surroundings`.
inline constexpr int kSurroundings = 6;

// Makes one order out of what the words and the vectors found. Pure functions; any thread may call them.

inline constexpr int kNoChunk = -1;

struct FusionCandidate {
  ExchangeId id = 0;
  std::int64_t session = 0;
  std::int64_t number = 0;  // of the exchange in its session
  TimeMs started_at = 0;
  std::uint64_t terms = 0;     // bit i: the query's term i stands in it; of terms from the 64th on nothing is said
  int chunk = kNoChunk;        // nearest to the question
  std::size_t phrasing = 0;    // that speaks for it most, and whose features these are
  std::uint32_t found_by = 1;  // SearchHit::found_by
  RankingFeatures features;
  double score = 0;
  double evidence = 0;  // evidence() of the features; of several phrasings the weighted mean
};

// A standardised cosine: 0 up to one deviation above the mean, 1 at five, at most 1.5.
double closeness(double dense_z);

// Coverage, 0…1, that counts less in long texts, which hold every word by chance: bm25 knows the length.
double focused_coverage(const RankingFeatures& features);

// Makes each the deviations it lies above the mean, as 0…1: 0 two below and less, 1 three above and more.
void standardise(std::span<double> values);

// 1 now, ½ after ninety days; 0 when `now` is 0.
double recency_of(TimeMs started_at, TimeMs now);

// Fills features.neighbour_turns and features.surroundings from the candidates around each in its session: what is not
// among the candidates counts as holding nothing. `shares`: of the query's weight, by term; sums to at most 1.
void add_context(std::span<FusionCandidate> candidates, std::span<const double> shares,
                 const RankingWeights& weights = kRankingWeights);

// 0…1. 1: every word of the question, often, side by side, and its meaning too when `by_meaning`.
double fused_score(const RankingFeatures& features, bool by_meaning, const RankingWeights& weights = kRankingWeights);

// Sets the scores and sorts: best first, equal ones newest first (by id).
void rank(std::vector<FusionCandidate>& candidates, bool by_meaning, const RankingWeights& weights = kRankingWeights);

// How much each feature speaks for a hit, in log odds. Fitted by bench/retrieval/calibration.py on the questions of
// several homes; docs/benchmarks.md has the figures.
struct EvidenceWeights {
  double coverage = 0;
  double bm25 = 0;
  double identifier = 0;
  double surroundings = 0;  // as far as the text is too short to speak for itself
  double deviations = 0;    // that its meaning is nearer than that of other texts: the full weight from eight on
  double cosine = 0;        // the full weight from 0.6 on
  double constant = 0;
  double several = 0;  // instead of it when there are several phrasings, of whose evidence the mean counts
};
inline constexpr EvidenceWeights kEvidenceByWords{
    .coverage = 4.3, .bm25 = 9.9, .surroundings = 2, .constant = -4.6, .several = -5.6};
// Of a model that memd does not know: what its cosines are for texts about other things differs from model to model.
// Set by hand, so that medium is what it was when it was judged by these alone.
inline constexpr EvidenceWeights kEvidenceByDeviations{.coverage = 4.2,
                                                       .bm25 = 2.8,
                                                       .identifier = 0.9,
                                                       .surroundings = 1.75,
                                                       .deviations = 5.6,
                                                       .constant = -5.25,
                                                       .several = -6.25};
// Of the built-in model. How near the nearest text is tells more than how far it stands out: something always does.
inline constexpr EvidenceWeights kEvidenceByCosine{
    .coverage = 4.9, .bm25 = 7.3, .identifier = 0.9, .surroundings = 0.2, .cosine = 6.3, .constant = -7, .several = -8};

// `model`: that was asked how near texts are in meaning; empty: none was.
const EvidenceWeights& evidence_weights(std::string_view model);

// How much speaks for a hit being about what was asked: the share of the question's words in it, how much it speaks of
// them, the share in it and the exchanges around, how near its meaning is. Without the constant.
double evidence(const RankingFeatures& features, const EvidenceWeights& weights);

// How likely is a hit with this evidence about what was asked, 0…1: of the questions whose best hits have so much, this
// share was talked of. `several`: phrasings.
double likelihood(double evidence, const EvidenceWeights& weights, bool several);

// From so likely on a hit is of medium and of high confidence.
inline constexpr double kPossible = 0.3;
inline constexpr double kProbable = 0.8;
Confidence confidence_of(double likelihood);

// How many of an answer's first hits are looked at for whether there is anything relevant: none is when the likeliest
// of them is not possible.
inline constexpr int kJudgedHits = 5;

}  // namespace memd::search
