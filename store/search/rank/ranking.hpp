#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"
#include "schemas/ranking_features.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::search {

// Weights of RankingFeatures in a score, relative to bm25 = 1. Fitted by `retrieval_bench --fit` (in git's history up
// to feecb62b), except `title` and those after it, which its questions do not reward; docs/benchmarks.md has the
// figures.
struct RankingWeights {
  double bm25 = 1.0;
  double adjacency = 0.25;
  double identifier = 1.0;
  double date = 1.0;
  double meaning = 1.0;  // of closeness()
  double tokens = 1.5;   // of the comparison token by token
  double second_look = 1.75;
  // Scaled by `brevity`: these count in short texts.
  double coverage = 1.0;  // of focused_coverage()
  double neighbour_turns = 1.0;
  double surroundings = 1.0;
  // Additional weight of bm25 in long texts. They contain any word by chance, so coverage says little about them.
  double self_contained = 2.0;
  double title = 0.25;
  double recency = 0.05;
  double same_project = 0.1;
  double decision = 0.25;
  // Factors on the score: of an exchange on an abandoned branch of its session, and of an exchange in a session that
  // another session started.
  double abandoned = 0.75;
  double subagent = 0.8;
};
inline constexpr RankingWeights kRankingWeights{};

// Weights of the exchanges before and after a hit, by distance. The previous one counts most, because it often asks
// what the hit answers.
inline constexpr double kBefore[] = {1.0, 0.5};
inline constexpr double kAfter[] = {0.75, 0.5};
// Number of exchanges before and after a hit whose words count for `surroundings`.
inline constexpr int kSurroundings = 6;

// Ranks the candidates of the lexical and the semantic search together. Pure functions; any thread may call them.

inline constexpr int kNoChunk = -1;

struct FusionCandidate {
  ExchangeId id = 0;
  std::int64_t session = 0;
  std::int64_t number = 0;  // of the exchange in its session
  TimeMs started_at = 0;
  std::uint64_t terms = 0;     // bit i: the exchange contains term i of the query; later terms than 63 have no bit
  int chunk = kNoChunk;        // the one nearest to the query
  std::size_t phrasing = 0;    // the one with the highest sort_key(), which the features come from
  std::uint32_t found_by = 1;  // SearchHit::found_by
  RankingFeatures features;
  double score = 0;     // not clamped, can exceed 1; of several phrasings the weighted mean
  double lead = 0;      // features.verbatim; of several phrasings the weighted mean
  double evidence = 0;  // evidence(); of several phrasings the weighted mean

  // Containing the query as typed counts as much as a full score.
  double sort_key() const { return score + lead; }
};

// Orders best first, equal ones newest first (by id).
bool ranks_before(const FusionCandidate& a, const FusionCandidate& b);

// Least standardised cosine of a hit that was found by meaning alone.
inline constexpr double kLeastZ = 2;

// Maps a standardised cosine to 0…1.5: 0 up to one deviation above the mean, 1 at five, 1.5 from seven.
double closeness(double dense_z);

// Returns the coverage times the square root of bm25, 0…1. bm25 is low for long texts, which contain any word by
// chance.
double focused_coverage(const RankingFeatures& features);

// Standardises each value and maps it to 0…1: 0 from two deviations below the mean, 1 from three above.
void standardise(std::span<double> values);

// Returns 1 for now and ½ after ninety days; 0 when either time is 0.
double recency_of(TimeMs started_at, TimeMs now);

// Fills features.neighbour_turns and features.surroundings from the neighbours of each candidate in its session. An
// exchange that is no candidate counts as empty. `shares`: each term's share of the query's weight; sums to at most 1.
void add_context(std::span<FusionCandidate> candidates, std::span<const double> shares);

// Returns about 1 for a hit with every word of the query, often and side by side, and its meaning when `by_meaning`.
// Other features can raise it above 1. Ignores `verbatim`.
double fused_score(const RankingFeatures& features, bool by_meaning);

// Sets the scores and leads and sorts by ranks_before().
void rank(std::vector<FusionCandidate>& candidates, bool by_meaning);

// Weights of the features as evidence for a hit, in log odds. Fitted by bench/retrieval/calibration.py (in git's
// history up to feecb62b) on the questions of several homes; docs/benchmarks.md has the figures.
struct EvidenceWeights {
  double coverage = 0;
  double bm25 = 0;
  double identifier = 0;
  double surroundings = 0;  // scaled by `brevity`
  double deviations = 0;    // of dense_z, with full weight from eight on
  double cosine = 0;        // with full weight from 0.6 on
  double surprise = 0;
  double soft_coverage = 0;  // or coverage, if that is more
  double network_cosine = 0;
  double gap = 0;  // of gap_of(), which the hits of an answer share
  double constant = 0;
  double several = 0;  // replaces `constant` for several phrasings, whose mean evidence counts
};
inline constexpr EvidenceWeights kEvidenceByWords{
    .coverage = 4.3, .bm25 = 9.9, .surroundings = 2, .constant = -4.6, .several = -5.6};
// For a model that memd does not know. The cosines of unrelated texts differ between models, so deviations are used.
// Set by hand, so that medium confidence stays what it was when deviations alone decided it.
inline constexpr EvidenceWeights kEvidenceByDeviations{.coverage = 4.2,
                                                       .bm25 = 2.8,
                                                       .identifier = 0.9,
                                                       .surroundings = 1.75,
                                                       .deviations = 5.6,
                                                       .constant = -5.25,
                                                       .several = -6.25};
// For the built-in model. The cosine itself is the better sign: some text always lies many deviations out.
inline constexpr EvidenceWeights kEvidenceByCosine{
    .coverage = 4.9, .bm25 = 7.3, .identifier = 0.9, .surroundings = 0.2, .cosine = 6.3, .constant = -7, .several = -8};

// For the first hits of an answer, with the built-in model. Fitted on hard questions: of the same field, answered only
// in another home, or with the names exchanged. bench/quality/likelihood.py fitted those for several phrasings; its
// other weights were no better (docs/benchmarks.md#verdicts).
inline constexpr EvidenceWeights kEvidenceBySecondLook{
    .surprise = 0.24, .soft_coverage = 5.18, .network_cosine = 6.94, .gap = 4.24, .constant = -8.72};
inline constexpr EvidenceWeights kEvidenceByOneLook{
    .surprise = 0.24, .soft_coverage = 5.18, .gap = 4.24, .constant = -6.0};
inline constexpr EvidenceWeights kEvidenceBySeveral{
    .coverage = 0.34, .cosine = 6.61, .surprise = 0.4, .gap = 13.85, .several = -11.93};

// `model`: the embedding model of the search; empty: words alone.
const EvidenceWeights& evidence_weights(std::string_view model);
// The same for the hits of an answer, ranked together. `looked`: some have a network_cosine.
const EvidenceWeights& answer_weights(std::string_view model, bool looked, bool several);

// Returns by how much the first score exceeds the mean of those after the kJudgedHits first. An answer with nothing
// relevant has many hits that are nearly as good as its first.
inline constexpr std::size_t kGapHits = 20;
double gap_of(std::span<const double> scores);

// Returns the evidence in log odds that a hit is relevant, without the constant: the weighted sum of the features that
// EvidenceWeights names.
double evidence(const RankingFeatures& features, const EvidenceWeights& weights);

// Returns the probability, 0…1, that a hit with this evidence is relevant. Calibrated as the share of answerable
// questions among those whose best hits have this evidence. `several`: the query has several phrasings.
double likelihood(double evidence, const EvidenceWeights& weights, bool several);
// The same as log odds, which can be compared between answers that are judged by different weights.
double log_odds(double evidence, const EvidenceWeights& weights, bool several);

// Likelihoods from which a hit has medium and high confidence.
inline constexpr double kPossible = 0.3;
inline constexpr double kProbable = 0.8;
Confidence confidence_of(double likelihood);

// Number of first hits that decide whether an answer has anything relevant. It has nothing relevant when the likeliest
// of them is below kPossible.
inline constexpr int kJudgedHits = 5;

// A hit of another project counts as better than all hits of the searched project from this surplus of log odds on. Its
// likelihood must also reach kPossible.
inline constexpr double kClearlyMore = 1.5;

}  // namespace memd::search
