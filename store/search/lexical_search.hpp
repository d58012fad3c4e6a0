#pragma once

#include "schemas/query.hpp"
#include "store/search/candidate_filter.hpp"
#include "store/search/index_tokenizer.hpp"
#include "store/search/match_scorer.hpp"
#include "store/search/passage.hpp"
#include "store/search/query_parser.hpp"
#include "store/search/query_plan.hpp"
#include "store/search/term_statistics.hpp"
#include "store/sqlite/database.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::search {

struct LexicalCandidate {
  ExchangeId id = 0;
  double score = 0;
  RankingFeatures features;  // bm25, coverage, adjacency, title
  std::uint64_t terms = 0;   // bit i: term i of the plan stands in it; of terms from the 64th on nothing is said
};

struct LexicalQuery {
  ParsedQuery typed;
  QueryPlan plan;
  bool filters_alone() const { return typed.wanted.empty() && typed.has_filters(); }
};

// Ranked full-text search over exchanges_fts, on one connection. Throws ErrorException.
//
// Words of the query that very many exchanges hold are left out when there are rarer ones, and reported as ignored,
// together with those that no exchange holds. A query of nothing but such a word looks at the newest exchanges only.
// A query of filters alone gives the newest exchanges that pass, each with score 1.
class LexicalSearch {
 public:
  explicit LexicalSearch(sqlite::Database& db);

  LexicalQuery plan(std::string_view text);
  // The best `count`, or fewer if there are no more; best first, equal scores newest first (by id). A longer list
  // begins with the shorter one.
  std::vector<LexicalCandidate> candidates(const LexicalQuery& query, CandidateFilter& filter, std::size_t count);
  // Those of `ids` (ascending) that hold a word of the query, and all that has to be there; ascending.
  std::vector<LexicalCandidate> score(const LexicalQuery& query, std::span<const ExchangeId> ids);
  // What the query excludes stands in it.
  bool is_excluded(const LexicalQuery& query, ExchangeId id);
  PassageFinder passages(const LexicalQuery& query) const { return {tokenizer_, query.plan}; }

 private:
  using Candidate = LexicalCandidate;
  std::vector<Candidate> best_by_text(const QueryPlan& plan, CandidateFilter& filter, std::size_t count);
  void add_titles(const QueryPlan& plan, std::vector<Candidate>& candidates);
  std::vector<Candidate> newest(const LexicalQuery& query, CandidateFilter& filter, std::size_t count);
  ExchangeId newest_window(const QueryPlan& plan, const CandidateFilter& filter) const;

  sqlite::Database& db_;
  IndexTokenizer tokenizer_;
  TermStatistics statistics_;
  MatchScorer scorer_;
};

}  // namespace memd::search
