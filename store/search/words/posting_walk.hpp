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

// Walks all words of a plan side by side, a stretch of documents at a time, and scores those that can still be among
// the best. A document is looked at closely only if the words it holds, their number and its length, where that is
// known, could bring it there (MaxScore): once the commoner words alone cannot, documents with nothing else are not
// even remembered. Of a stretch, the most promising are looked at first. The answer is exact.
//
// For one question, on one connection, inside one transaction; the plan and the lengths must outlive it. Throws
// ErrorException.
class PostingWalk {
 public:
  PostingWalk(FullTextIndex& index, const QueryPlan& plan, KnownLengths& lengths);

  struct Ranked {
    std::vector<LexicalCandidate> best;  // best first; equal scores newest first
    std::vector<LexicalCandidate> also;  // of what was asked for, as score() gives it
  };
  // The `count` best that pass the filter. A longer list begins with the shorter one. `also`: exchanges that pass the
  // filter, scored on the way.
  Ranked best(CandidateFilter& filter, std::size_t count, std::span<const ExchangeId> also = {});
  // Scores these exchanges, in their order; 0 for those that hold nothing. What must not occur, and what has to, is not
  // looked at.
  std::vector<LexicalCandidate> score(std::span<const ExchangeId> ids);

 private:
  using Form = PostingStretch::Form;
  using Entry = PostingStretch::Entry;
  struct Document {
    std::uint32_t terms = 0;  // a bit each, and the flags below
    float found_idf = 0;
    float bm25 = 0;      // at most
    float softness = 0;  // by its length; 0: no term of it has been seen
    float bound = 0;     // of its score
  };
  class Best;
  struct Wanted {  // of one call of best()
    CandidateFilter& filter;
    Best& best;
    std::unordered_map<ExchangeId, LexicalCandidate>& asked_for;
  };

  void load_stretch(ExchangeId base, std::span<const ExchangeId> only, std::span<const ExchangeId> also,
                    double threshold);
  void mark(std::span<const ExchangeId> sorted, std::uint32_t flag);
  void touch(std::size_t term, const Form& form, const Entry& entry);
  template <class Visit>
  void each_touched(Visit&& visit) const {  // in order
    for (std::uint32_t word = 0; word < touched_.size(); ++word)
      for (std::uint64_t left = touched_[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
  }
  bool is_hopeful(std::uint32_t document, const Wanted& wanted) const;
  float promising(const Wanted& wanted);
  void look_at(std::uint32_t document, Wanted& wanted);

  bool find_hits(std::uint32_t document);  // false: lacks a required term, or holds what is forbidden
  double identifier_share(std::uint32_t document);
  double least_length_ratio(ExchangeId id) const;  // of the document whose hits were found last
  Match match(ExchangeId id);                      // likewise
  LexicalCandidate wordless(ExchangeId id);        // holds nothing of the question

  static constexpr double kRounding = 1e-3;           // of found_idf
  static constexpr std::uint32_t kListed = 1U << 31;  // of those that alone can pass
  static constexpr std::uint32_t kAlso = 1U << 30;
  static constexpr std::uint32_t kTerms = kAlso - 1;

  FullTextIndex& index_;
  LengthReader lengths_;
  const QueryPlan& plan_;
  const MatchScorer scorer_;
  PostingStretch stretch_;
  std::vector<std::vector<Form>> terms_;
  std::vector<std::vector<Form>> identifiers_;
  std::vector<Form> forbidden_;
  std::vector<double> idf_from_;  // of this term and all behind it
  std::uint32_t driving_ = 0;
  std::uint32_t required_ = 0;

  std::vector<Document> documents_;     // of the stretch
  std::vector<std::uint32_t> marked_;   // of documents_: with a flag
  std::vector<std::uint64_t> touched_;  // a bit a document: it holds a term
  std::vector<TermHits> hits_;          // of the document that is looked at, by term
};

}  // namespace memd::search
