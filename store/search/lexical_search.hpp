#pragma once

#include "schemas/query.hpp"
#include "store/search/candidate_filter.hpp"
#include "store/search/index_tokenizer.hpp"
#include "store/search/match_scorer.hpp"
#include "store/search/query_plan.hpp"
#include "store/search/term_statistics.hpp"
#include "store/sqlite/database.hpp"

#include <cstdint>
#include <vector>

namespace memd::search {

struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title
};

// Ranked full-text search over exchanges_fts, on one connection. Best first; equal scores newest first (by id).
// Exchanges with the same prompt and answer (content_hash), as copies of a transcript hold them, are one hit.
//
// Words of the query that very many exchanges hold are left out when there are rarer ones, and reported as ignored,
// together with those that no exchange holds. A query of nothing but such a word looks at the newest exchanges only.
// A query of filters alone gives the newest exchanges that pass, each with score 1.
class LexicalSearch {
 public:
  explicit LexicalSearch(sqlite::Database& db);

  SearchAnswer search(const SearchQuery& query);  // throws ErrorException

 private:
  using Candidate = LexicalCandidate;
  // The best `count`, or fewer if there are no more; best first. A longer list begins with the shorter one.
  std::vector<Candidate> ranked(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  std::vector<Candidate> best_by_text(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  void add_titles(const QueryPlan& plan, std::vector<Candidate>& candidates);
  std::vector<Candidate> newest(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  ExchangeId newest_window(const QueryPlan& plan, const CandidateFilter& filter) const;
  std::vector<Candidate> without_copies(const std::vector<Candidate>& candidates, std::size_t wanted);
  bool is_excluded(const QueryPlan& plan, ExchangeId id);

  sqlite::Database& db_;
  IndexTokenizer tokenizer_;
  TermStatistics statistics_;
  MatchScorer scorer_;
};

}  // namespace memd::search
