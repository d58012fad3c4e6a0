#pragma once

#include "store/search/words/candidate_filter.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/posting_stretch.hpp"
#include "store/search/words/query_plan.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace memd::search {

// Top-k evaluation of a query plan by MaxScore. Reads the posting lists of all words in parallel, one stretch of
// documents at a time. Scores a document only if an upper bound reaches the lowest score of the current best. The bound
// comes from its words, their number of occurrences and its length, if that is cached. Once the commoner words alone
// cannot reach that score, documents without a rarer word are not loaded. Each stretch starts with the documents of
// highest bound. The result is exact.
//
// For one query, on the thread of the connection, inside one transaction. The index, the plan and the lengths must
// outlive it. Throws ErrorException.
class TopKEvaluator {
 public:
  TopKEvaluator(FullTextIndex& index, const QueryPlan& plan, QueryLengths& lengths);

  struct Ranked {
    std::vector<LexicalCandidate> best;  // best first; equal scores newest first
    std::vector<LexicalCandidate> also;  // for the exchanges requested by `also`, as from score()
  };
  // Returns the `count` best exchanges that pass the filter. A longer list begins with the shorter one. `also`:
  // exchanges that pass the filter and are scored in the same pass.
  Ranked best(CandidateFilter& filter, std::size_t count, std::span<const ExchangeId> also = {});
  // Returns how many exchanges that pass the filter contain all terms.
  std::int64_t count_with_all(CandidateFilter& filter);
  // Scores these exchanges, in their order; 0 for those without any term. Ignores required and forbidden terms.
  std::vector<LexicalCandidate> score(std::span<const ExchangeId> ids);

 private:
  using Form = PostingStretch::Form;
  using Entry = PostingStretch::Entry;
  struct Document {
    std::uint32_t terms = 0;  // one bit per term, and the flags below
    float found_idf = 0;
    float bm25 = 0;      // upper bound
    float softness = 0;  // MatchScorer::softness(); 0: no term has been found yet
    float bound = 0;     // upper bound of the score
  };
  class Best;
  struct Wanted {  // state of one call of best()
    CandidateFilter& filter;
    Best& best;
    std::unordered_map<ExchangeId, LexicalCandidate>& asked_for;
  };

  // Loads one stretch after the other, as far as exchanges can pass the filter, and calls `visit` for each.
  template <class Threshold, class Visit>
  void each_stretch(CandidateFilter& filter, std::span<const ExchangeId> also, Threshold&& threshold, Visit&& visit);
  void load_stretch(ExchangeId base, std::span<const ExchangeId> only, std::span<const ExchangeId> also,
                    double threshold);
  void mark(std::span<const ExchangeId> sorted, std::uint32_t flag);
  void touch(std::size_t term, const Form& form, const Entry& entry);
  template <class Visit>
  void each_touched(Visit&& visit) const {  // in ascending order
    for (std::uint32_t word = 0; word < touched_.size(); ++word)
      for (std::uint64_t left = touched_[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
  }
  bool is_hopeful(std::uint32_t document, const Wanted& wanted) const;
  float promising(const Wanted& wanted);
  void look_at(std::uint32_t document, Wanted& wanted);

  bool find_hits(std::uint32_t document);  // false: lacks a required term, or contains a forbidden one
  double identifier_share(std::uint32_t document);
  double surprise(ExchangeId id);                  // likewise; RankingFeatures::surprise
  double least_length_ratio(ExchangeId id) const;  // uses hits_; `id` is their document
  Match match(ExchangeId id);                      // likewise
  LexicalCandidate wordless(ExchangeId id);        // for an exchange without any term

  static constexpr double kRounding = 1e-3;           // margin for rounding errors of found_idf and bm25
  static constexpr std::uint32_t kListed = 1U << 31;  // is in the filter's list, which alone can pass
  static constexpr std::uint32_t kAlso = 1U << 30;    // its score is requested
  static constexpr std::uint32_t kTerms = kAlso - 1;

  FullTextIndex& index_;
  LengthReader lengths_;
  const QueryPlan& plan_;
  const MatchScorer scorer_;
  PostingStretch stretch_;
  std::vector<std::vector<Form>> terms_;
  std::vector<std::vector<Form>> identifiers_;
  std::vector<Form> forbidden_;
  std::vector<double> absence_;   // log of the probability that a text of mean length lacks the term
  std::vector<double> idf_;       // idf · found_weight of each term
  std::vector<double> idf_from_;  // sum for this term and all later ones
  std::uint32_t driving_ = 0;
  std::uint32_t required_ = 0;

  std::vector<Document> documents_;     // of the stretch
  std::vector<std::uint32_t> marked_;   // indexes of documents_ with a flag
  std::vector<std::uint64_t> touched_;  // one bit per document: it contains a term
  std::vector<TermHits> hits_;          // of the document being scored, by term
};

}  // namespace memd::search
