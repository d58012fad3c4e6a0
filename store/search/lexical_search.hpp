#pragma once

#include "schemas/query.hpp"
#include "store/search/candidate_filter.hpp"
#include "store/search/index_tokenizer.hpp"
#include "store/search/match_scorer.hpp"
#include "store/search/passage.hpp"
#include "store/search/query_plan.hpp"
#include "store/search/term_statistics.hpp"
#include "store/sqlite/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memd::search {

struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title
  std::uint64_t terms = 0;   // bit i: term i of the plan stands in it; of terms from the 64th on nothing is said
};

// A question as the words of the index see it.
struct LexicalQuestion {
  ParsedQuery typed;
  QueryPlan plan;
  // Nothing but filters: candidates are the newest exchanges that pass, each with score 1.
  bool filters_alone() const { return typed.wanted.empty() && typed.has_filters(); }
  bool empty() const { return plan.match.empty() && !filters_alone(); }  // has no candidates
};

// Ranked full-text search over exchanges_fts, on one connection. Best first; equal scores newest first (by id).
//
// Words of the query that very many exchanges hold are left out when there are rarer ones, and reported as ignored,
// together with those that no exchange holds. A query of nothing but such a word looks at the newest exchanges only.
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
  // What the question excludes stands in it.
  bool is_excluded(const LexicalQuestion& question, ExchangeId id);
  // For load_hit(). The question must live as long.
  PassageFinder passages(const LexicalQuestion& question) const { return PassageFinder(tokenizer_, question.plan); }

 private:
  using Candidate = LexicalCandidate;
  std::vector<Candidate> best_by_text(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  void add_titles(const QueryPlan& plan, std::span<Candidate> candidates);
  std::vector<Candidate> newest(const LexicalQuestion& question, CandidateFilter& filter, std::size_t count);
  std::vector<Candidate> newest_of(const std::vector<ExchangeId>& list, const LexicalQuestion& question,
                                   CandidateFilter& filter, std::size_t count);
  ExchangeId newest_window(const QueryPlan& plan, const CandidateFilter& filter) const;

  sqlite::Database& db_;
  IndexTokenizer tokenizer_;
  TermStatistics statistics_;
  MatchScorer scorer_;
};

}  // namespace memd::search
