#pragma once

#include "schemas/search.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/search/words/candidate_filter.hpp"
#include "store/search/words/document_lengths.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/query_plan.hpp"
#include "store/search/words/vocabularies.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::search {

struct Passage {
  std::string text;               // white space collapsed, "…" where it is cut
  std::vector<TextSpan> matches;  // in `text`, in order
};

// Finds the passage of a hit's texts that matches the query best. For one query, on one thread; the tokenizer and the
// plan must outlive it.
class PassageFinder {
 public:
  PassageFinder(const IndexTokenizer& tokenizer, const QueryPlan& plan);

  // Returns the best passage of the texts, the earlier one when equal. When nothing matches, returns the start of the
  // first text that is not empty.
  Passage best(const std::array<std::string_view, 4>& texts) const;

  static constexpr std::size_t kBytes = 260;  // of text in a passage

 private:
  struct Match {
    std::size_t start;
    std::size_t end;
    std::size_t term;
  };
  struct Window {
    double worth = 0;
    std::size_t first = 0;  // index of its first match
    std::size_t last = 0;   // index of its last match
  };
  void find(std::string_view text, std::vector<Match>& out) const;
  void find_in_word(std::string_view text, std::size_t start, std::size_t end, std::vector<Match>& out) const;
  Window best_window(const std::vector<Match>& matches) const;
  void add_start(std::string_view stem);
  static constexpr unsigned kLetterBits = 5;
  static std::size_t start_of(std::uint64_t three);

  const IndexTokenizer& tokenizer_;
  const QueryPlan& plan_;
  std::unordered_map<std::string, std::size_t> terms_;     // by stem
  std::bitset<std::size_t{1} << 3 * kLetterBits> starts_;  // of words of the query, by start_of()
  mutable std::vector<Token> tokens_;
};

// A query prepared for the full-text index.
struct LexicalQuestion {
  ParsedQuery typed;
  QueryPlan plan;
  QueryLengths* lengths = nullptr;
  bool asks_why = false;  // the query asks what was decided, or why
  // The query has only filters: candidates are the newest exchanges that pass, each with score 1.
  bool filters_alone() const { return typed.wanted.empty() && typed.has_filters(); }
  bool empty() const { return plan.empty() && !filters_alone(); }  // there are no candidates
};

// Ranked full-text search over exchanges_fts, on one connection. Best first; equal scores newest first (by id).
//
// All words of the query count. An exchange that contains only very common words is a candidate only when the query has
// no rarer words. A word that no exchange contains is replaced by a word of similar spelling if there is one. A session
// whose title contains most of the query's weight is represented by its first exchange when none of its exchanges is
// among the best.
//
// Processes one query at a time: understand() starts it, and its LexicalQuestion must outlive all calls about it. One
// transaction per query. All functions throw ErrorException. Borrows `db`: the thread that leases the connection.
class LexicalSearch {
 public:
  explicit LexicalSearch(sqlite::Database& db);

  // Starts a query. `lengths` must be constructed before the transaction began and outlive the query.
  LexicalQuestion understand(const SearchQuery& query, QueryLengths& lengths);
  // Prepares another phrasing of `first`, whose exclusions apply to it, too.
  LexicalQuestion understand_also(const std::string& text, const SearchQuery& query, const LexicalQuestion& first);
  struct Found {
    std::vector<LexicalCandidate> best;
    std::vector<LexicalCandidate> also;
  };
  // Returns the best `count` exchanges that pass, or fewer if there are no more. A longer list begins with the shorter
  // one. Exchanges with the same content are not merged. Found::also has the results of score() for the exchanges in
  // `also`, which must pass the filter; they cost little more.
  Found candidates(const LexicalQuestion& question, CandidateFilter& filter, std::size_t count,
                   std::span<const ExchangeId> also = {});
  // Returns how many exchanges that pass contain all words of the query. Words that are ignored do not count, but one
  // that occurs nowhere does.
  std::int64_t count_matching(const LexicalQuestion& question, CandidateFilter& filter);
  // Returns the features of these exchanges, in their order, even of those without a match. Ignores filters.
  std::vector<LexicalCandidate> score(const LexicalQuestion& question, std::span<const ExchangeId> ids);
  // Returns whether the exchange contains something that the query excludes.
  bool is_excluded(const LexicalQuestion& question, ExchangeId id);
  ExchangePlaces& places() { return places_; }  // of the current query
  // Returns the finder of snippets. `question` must outlive it.
  PassageFinder passages(const LexicalQuestion& question) const { return PassageFinder(tokenizer_, question.plan); }

 private:
  using Candidate = LexicalCandidate;
  using Shares = std::unordered_map<std::int64_t, double>;

  void add_session_features(const ParsedQuery& typed, const Shares& titles, std::span<Candidate> candidates);
  std::vector<Candidate> by_title(const LexicalQuestion& question, const Shares& titles,
                                  std::span<const Candidate> found, CandidateFilter& filter);
  std::vector<Candidate> newest(const LexicalQuestion& question, CandidateFilter& filter, std::size_t count);

  sqlite::Database& db_;
  IndexTokenizer tokenizer_;
  TermStatistics statistics_;
  IdentifierDictionary names_;
  TitleIndex titles_;
  ExchangePlaces places_;
};

}  // namespace memd::search
