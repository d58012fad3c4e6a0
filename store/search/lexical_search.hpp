#pragma once

#include "schemas/query.hpp"
#include "store/search/candidate_filter.hpp"
#include "store/search/index_tokenizer.hpp"
#include "store/search/lexical_candidate.hpp"
#include "store/search/passage.hpp"
#include "store/search/query_plan.hpp"
#include "store/search/term_statistics.hpp"
#include "store/sqlite/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memd::search {

// A question as the words of the index see it.
struct LexicalQuestion {
  ParsedQuery typed;
  QueryPlan plan;
  // Nothing but filters: candidates are the newest exchanges that pass, each with score 1.
  bool filters_alone() const { return typed.wanted.empty() && typed.has_filters(); }
  bool empty() const { return plan.empty() && !filters_alone(); }  // has no candidates
};

// Ranked full-text search over exchanges_fts, on one connection. Best first; equal scores newest first (by id).
//
// All words of the query count; an exchange that holds only words of which very many exchanges hold each is found when
// there are no rarer ones. Words that no exchange holds are read as a word that is spelled nearly so if there is one.
//
// One question is worked on at a time: understand() begins it, its plan must live until the last call about it.
// All throw ErrorException.
class LexicalSearch {
 public:
  explicit LexicalSearch(sqlite::Database& db);

  LexicalQuestion understand(const SearchQuery& query);
  // The best `count` that pass, or fewer if there are no more. A longer list begins with the shorter one. Exchanges
  // with the same content are all in it.
  std::vector<LexicalCandidate> candidates(const LexicalQuestion& question, CandidateFilter& filter, std::size_t count);
  // The features these exchanges have for the question, in their order, words or none; filters are not looked at.
  std::vector<LexicalCandidate> score(const LexicalQuestion& question, std::span<const ExchangeId> ids);
  // For load_hit(). The question must live as long.
  PassageFinder passages(const LexicalQuestion& question) const { return PassageFinder(tokenizer_, question.plan); }

  // By words alone. Exchanges with the same prompt and answer (content_hash), as copies of a transcript hold them, are
  // one hit.
  SearchAnswer search(const SearchQuery& query);

 private:
  using Candidate = LexicalCandidate;
  void add_titles(const QueryPlan& plan, std::span<Candidate> candidates);
  std::vector<Candidate> newest(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  std::vector<Candidate> without_copies(const std::vector<Candidate>& candidates, std::size_t wanted);
  bool is_excluded(const QueryPlan& plan, ExchangeId id);

  sqlite::Database& db_;
  IndexTokenizer tokenizer_;
  TermStatistics statistics_;
};

}  // namespace memd::search
