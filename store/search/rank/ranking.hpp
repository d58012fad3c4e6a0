#pragma once

#include "schemas/query.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::search {

// What each feature of RankingFeatures adds to a score, where bm25 adds 1. Fitted by `retrieval_bench --fit`, but for
// the last four, which none of its questions reward; docs/benchmarks.md has the figures.
struct RankingWeights {
  double bm25 = 1.0;
  double adjacency = 0.25;
  double identifier = 1.0;
  double date = 1.0;
  double meaning = 1.0;  // of closeness()
  double tokens = 0.0;   // of nearness token by token
  // As far as a text is too short to speak for itself, by `brevity`:
  double coverage = 1.0;  // of focused_coverage()
  double neighbour_turns = 1.0;
  double surroundings = 1.0;
  // As far as it is not, bm25 once more. In a long text every word stands by chance, so which do says little.
  double self_contained = 2.0;
  double title = 0.25;
  double recency = 0.05;
  double same_project = 0.1;
  double decision = 0.0;
  double file = 0.0;
  // What is left of the score of an exchange that its session has left for another branch; of one of a session that
  // another one started.
  double abandoned = 0.75;
  double subagent = 1.0;
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
  std::uint64_t terms = 0;  // bit i: the query's term i stands in it; of terms from the 64th on nothing is said
  int chunk = kNoChunk;     // nearest to the question
  std::size_t phrasing = 0;    // that speaks for it most, and whose features these are
  std::uint32_t found_by = 1;  // SearchHit::found_by
  RankingFeatures features;
  double score = 0;
};

// A standardised cosine: 0 up to one deviation above the mean, 1 at five, at most 1.5.
double closeness(double dense_z);

// Coverage, 0…1, that counts less in long texts, which hold every word by chance: bm25 knows the length.
double focused_coverage(const RankingFeatures& features);

// Makes each the deviations it lies above the mean.
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

// How much each feature speaks for a hit, and how much is enough. Fitted by `retrieval_bench --fit`; docs/benchmarks.md
// has the figures.
struct EvidenceWeights {
  double coverage = 0;
  double bm25 = 0;
  double surroundings = 0;  // as far as the text is too short to speak for itself
  double deviations = 0;    // that its meaning is nearer than that of other texts: the full weight from eight on
  double cosine = 0;        // the full weight from 0.6 on
  double enough = 0;        // what most questions about things never talked of stay below in their best hits
};
inline constexpr EvidenceWeights kEvidenceByWords{.coverage = 0.6, .bm25 = 0.4, .surroundings = 0.25, .enough = 0.35};
// Of a model that memd does not know: what its cosines are for texts about other things differs from model to model.
inline constexpr EvidenceWeights kEvidenceByDeviations{
    .coverage = 0.6, .bm25 = 0.4, .surroundings = 0.25, .deviations = 0.8, .enough = 0.63};
// Of the built-in model. How near the nearest text is tells more than how far it stands out: something always does.
inline constexpr EvidenceWeights kEvidenceByCosine{
    .coverage = 1, .bm25 = 4, .surroundings = 0.125, .cosine = 3, .enough = 2.83};

// `model`: that was asked how near texts are in meaning; empty: none was.
const EvidenceWeights& evidence_weights(std::string_view model);

// How much speaks for a hit being about what was asked: the share of the question's words in it, how much it speaks of
// them, the share in it and the exchanges around, how near its meaning is.
double evidence(const RankingFeatures& features, const EvidenceWeights& weights);

// How likely a hit is about what was asked, judged by itself:
//   high    nearly all of the question's words, or an identifier of it and others, stand in it
//   medium  there is enough evidence
//   low     there is less
Confidence confidence_of(const RankingFeatures& features, const EvidenceWeights& weights);

// How many of an answer's first hits are looked at for whether there is anything relevant.
inline constexpr int kJudgedHits = 5;
// Nothing among the best hits is likely to be about what was asked.
bool nothing_relevant(std::span<const RankingFeatures> best, const EvidenceWeights& weights);

}  // namespace memd::search
