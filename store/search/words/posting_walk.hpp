#pragma once

#include "store/search/candidate_filter.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/lexical_candidate.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/query_plan.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::search {

// Walks all words of a plan side by side, a stretch of documents at a time, and scores those that can still be among
// the best: a document is looked at closely only if the words it holds, how much is said of them and its length, where
// that is known, could bring it there, and once the commoner words alone cannot, documents with nothing else are not
// even remembered (MaxScore). Of a stretch, the most promising are looked at first. What it gives is exact.
//
// For one question, on one connection, inside one transaction. Memory: some 30 bytes a word and document of a stretch.
class PostingWalk {
 public:
  PostingWalk(FullTextIndex& index, const QueryPlan& plan, KnownLengths& lengths);

  struct Ranked {
    std::vector<LexicalCandidate> best;  // best first; equal scores newest first
    std::vector<LexicalCandidate> also;  // as score() of what was asked for gives it
  };
  // A longer list begins with the shorter one. `also`: exchanges that pass the filter, scored on the way.
  Ranked best(CandidateFilter& filter, std::size_t count, std::span<const ExchangeId> also = {});
  // Of these exchanges, in their order; 0 for those that hold nothing. What must not occur, and what has to, is not
  // looked at.
  std::vector<LexicalCandidate> score(std::span<const ExchangeId> ids);

 private:
  struct Entry {
    std::uint32_t document;  // of the stretch
    std::uint32_t offset;    // of its positions in positions_
    std::uint32_t bytes;
  };
  struct Word {
    std::vector<PostingCursor> cursors;
    std::vector<Entry> entries;  // of the stretch
    std::size_t at = 0;          // entries before belong to documents that have been scored
    bool loaded = false;
    std::int64_t decoded = -1;  // document whose places these are
    std::vector<std::int64_t> places;
  };
  struct Form {
    std::vector<std::size_t> words;
    double weight;
  };
  struct Document {
    std::uint32_t terms = 0;  // a bit each, and the flags below
    float found_idf = 0;
    float bm25 = 0;      // at most
    float softness = 0;  // by its length; 0: no term of it has been seen
    float bound = 0;     // of its score
  };

  Form compile(const TermForm& form);
  ExchangeId next_document();  // any term's
  void load_stretch(ExchangeId base, std::span<const ExchangeId> only, std::span<const ExchangeId> also,
                    double threshold);
  void mark(std::span<const ExchangeId> sorted, std::uint32_t flag);
  void load_term(std::size_t term, bool only_touched);
  void load(Word& word, bool only_touched);
  void put_in_order(std::vector<Entry>& entries);
  template <class Found>
  void each_document(const Form& form, Found&& found) const;
  void touch(std::size_t term, const Form& form, const Entry& entry);
  std::size_t most_occurrences(const Entry& entry) const;
  template <class Visit>
  void each_touched(Visit&& visit) const {  // in order
    for (std::uint32_t word = 0; word < touched_.size(); ++word)
      for (std::uint64_t left = touched_[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
  }
  PositionReader positions_of(Word& word, std::uint32_t document) const;
  const std::vector<std::int64_t>& places_of(Word& word, std::uint32_t document);
  bool add_word(const Form& form, std::uint32_t document, TermHits& hits);
  bool holds(const Form& form, std::uint32_t document, TermHits* hits);
  bool find_hits(std::uint32_t document);  // false: lacks a required term, or holds what is forbidden
  double identifier_share(std::uint32_t document);
  double least_length() const;                     // words of the document whose hits were found last
  double least_length_ratio(ExchangeId id) const;  // likewise
  Match match(ExchangeId id);                      // likewise
  LexicalCandidate wordless(ExchangeId id);        // holds nothing of the question

  class Best;
  struct Wanted {  // of one call of best()
    CandidateFilter& filter;
    Best& best;
    std::unordered_map<ExchangeId, LexicalCandidate>& asked_for;
  };
  bool is_hopeful(std::uint32_t document, const Wanted& wanted) const;
  float promising(const Wanted& wanted);
  void look_at(std::uint32_t document, Wanted& wanted);

  static constexpr std::int64_t kStretch = 1 << 14;   // documents
  static constexpr double kRounding = 1e-3;           // of found_idf
  static constexpr std::uint32_t kListed = 1U << 31;  // of those that alone can pass
  static constexpr std::uint32_t kAlso = 1U << 30;
  static constexpr std::uint32_t kTerms = kAlso - 1;

  FullTextIndex& index_;
  LengthReader lengths_;
  const QueryPlan& plan_;
  const MatchScorer scorer_;
  std::vector<Word> words_;
  std::unordered_map<std::string, std::size_t> word_numbers_;
  std::vector<std::vector<Form>> terms_;
  std::vector<std::vector<Form>> identifiers_;
  std::vector<Form> forbidden_;
  std::vector<double> idf_from_;  // of this term and all behind it
  std::uint32_t driving_ = 0;
  std::uint32_t required_ = 0;

  ExchangeId base_ = 0;
  std::vector<Document> documents_;
  std::vector<std::uint32_t> marked_;   // of documents_: with a flag
  std::vector<std::uint64_t> touched_;  // a bit a document: it holds a term
  std::string positions_;
  std::vector<TermHits> hits_;
  std::vector<std::uint64_t> claimed_;
  std::vector<std::size_t> runs_;  // where those of a segment begin among the entries that are loaded
  std::vector<Entry> ordered_;
};

}  // namespace memd::search
