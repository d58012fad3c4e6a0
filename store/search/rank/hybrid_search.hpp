#pragma once

#include "schemas/search.hpp"
#include "store/db/database.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/vectors/semantic_index.hpp"
#include "store/search/words/lexical_search.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// The input of the semantic side of one search.
struct SemanticQuestion {
  SemanticIndex* index = nullptr;  // null: lexical search only
  QueryVector vector;              // empty: lexical search only
  std::string trouble;             // why it is empty although it was requested
};

// Search by words and by meaning on one connection. The best one or two hundred of each side are ranked together by all
// features. Further lexical hits follow in lexical order, so that a longer list begins with the shorter one. Exchanges
// with the same prompt and answer (content_hash), from copies of a transcript, are one hit. Throws
// ErrorException. Borrows `db`: the thread that leases the connection.
class HybridSearch {
 public:
  explicit HybridSearch(sqlite::Database& db);

  // Runs in a read transaction that began after `lengths` was made. A query that finds nothing because of its operators
  // is repeated with the operators read as words. `questions`: one for query.asked and one for each of query.also. A
  // phrasing without one is searched by words alone.
  SearchAnswer search(const SearchQuery& query, std::span<const SemanticQuestion> questions, QueryLengths& lengths);

 private:
  struct Attempt {
    SearchAnswer answer;
    bool found_any = false;              // at any offset
    std::vector<std::string> operators;  // ParsedQuery::operators
  };
  Attempt attempt(const SearchQuery& query, std::span<const SemanticQuestion> questions, QueryLengths& lengths);
  struct Ranking {
    std::vector<FusionCandidate> candidates;  // best first
    std::size_t by_all_features = 0;          // how many of them are ranked by all features; the rest by words alone
    bool complete = false;                    // there are no further candidates
    std::int64_t without_second_look = 0;     // as in SemanticCoverage
  };
  // One phrasing of the query.
  struct Phrasing {
    std::string_view text;  // as typed; borrowed from the query
    LexicalQuestion words;
    const SemanticQuestion* meaning;
  };

  struct CosineScale;
  struct Nearest;

  std::vector<Phrasing> understand(const SearchQuery& query, std::span<const SemanticQuestion> questions,
                                   QueryLengths& lengths);
  Ranking fused(const SearchQuery& query, const std::vector<Phrasing>& phrasings, CandidateFilter& filter,
                std::size_t count);
  Ranking ranked(const SearchQuery& query, const Phrasing& phrasing, const Nearest& near, CandidateFilter& filter,
                 std::size_t count, bool alone);
  // A candidate that stands for all candidates with the same text.
  struct Distinct {
    FusionCandidate* candidate;
    std::int64_t copies;  // number of the others
  };

  std::vector<Nearest> nearest(const SearchQuery& query, const std::vector<Phrasing>& phrasings,
                               CandidateFilter& filter);
  void join(const LexicalQuestion& words, const SemanticQuestion& question, const Nearest& near,
            std::span<const LexicalCandidate> scored, std::vector<FusionCandidate>& pool);
  void add_places(const SearchQuery& query, std::vector<FusionCandidate>& pool);
  void add_session_kind_and_decision(const LexicalQuestion& words, std::span<FusionCandidate> best);
  void mark_verbatim_matches(const Phrasing& phrasing, std::span<FusionCandidate> best);
  void compare_tokens(const SemanticQuestion& question, std::vector<FusionCandidate>& ranked);
  std::int64_t look_again(const Phrasing& phrasing, std::vector<FusionCandidate>& ranked);
  // Searches without the project filter. `inside`: the filter with it. `most_inside`: highest log odds among the first
  // kJudgedHits hits inside.
  OutsideHits search_other_projects(const SearchQuery& query, const std::vector<Phrasing>& phrasings,
                                    CandidateFilter& inside, std::string_view model, double most_inside);
  static std::vector<std::string> missing_terms(const QueryPlan& plan, std::span<const Distinct> hits);
  const EvidenceWeights& judge(std::span<const Distinct> hits, std::string_view model, bool several);
  std::string project_of(ExchangeId id);
  std::vector<Distinct> distinct(std::vector<FusionCandidate>& candidates, std::size_t wanted);
  SearchHit load(const SearchQuery& query, const PassageFinder& passages, const Distinct& found, double likelihood);

  sqlite::Database& db_;
  LexicalSearch lexical_;
};

}  // namespace memd::search
