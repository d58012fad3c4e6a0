#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/search/words/candidate_filter.hpp"
#include "store/search/words/document_lengths.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/query_plan.hpp"
#include "store/search/words/vocabularies.hpp"

#include <array>
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
  std::size_t column = 0;         // of the texts given
};

// Finds the part of a text that best shows why it was found. For one question, on one thread; the tokenizer and the
// plan must outlive it.
class PassageFinder {
 public:
  PassageFinder(const IndexTokenizer& tokenizer, const QueryPlan& plan);

  // The best passage of the texts; of equals the earlier one. When nothing matches: the start of the first text that is
  // not empty.
  Passage best(const std::array<std::string_view, 4>& texts) const;

  static constexpr std::size_t kBytes = 260;  // of text

 private:
  struct Match {
    std::size_t start;
    std::size_t end;
    std::size_t term;
  };
  struct Window {
    double worth = 0;
    std::size_t first = 0;  // matches
    std::size_t last = 0;
  };
  void find(std::string_view text, std::vector<Match>& out) const;
  void find_in_word(std::string_view text, std::size_t start, std::size_t end, std::vector<Match>& out) const;
  Window best_window(const std::vector<Match>& matches) const;

  const IndexTokenizer& tokenizer_;
  const QueryPlan& plan_;
  std::unordered_map<std::string, std::size_t> terms_;  // by stem
  std::array<bool, 256> starts_{};                      // first bytes a word of the query may have in a text
  mutable std::vector<Token> tokens_;
};

// A query prepared for the full-text index.
struct LexicalQuestion {
  ParsedQuery typed;
  QueryPlan plan;
  KnownLengths* lengths = nullptr;
  bool asks_why = false;  // what was decided, or why
  // Nothing but filters: candidates are the newest exchanges that pass, each with score 1.
  bool filters_alone() const { return typed.wanted.empty() && typed.has_filters(); }
  bool empty() const { return plan.empty() && !filters_alone(); }  // has no candidates
};

// Ranked full-text search over exchanges_fts, on one connection. Best first; equal scores newest first (by id).
//
// All words of the query count; an exchange that holds only words of which very many exchanges hold each is found when
// there are no rarer ones. Words that no exchange holds are read as a word that is spelled nearly so if there is one. A
// session whose title says most of what was asked is found by it: its first exchange stands for it when none of its
// exchanges is among the best by itself.
//
// One question is worked on at a time: understand() begins it, its plan must live until the last call about it. All of
// it in one transaction. All throw ErrorException. Borrows `db`: the thread that leases the connection.
class LexicalSearch {
 public:
  explicit LexicalSearch(sqlite::Database& db);

  // `lengths`: made before the transaction began; to live as long as the question.
  LexicalQuestion understand(const SearchQuery& query, KnownLengths& lengths);
  // Prepares another phrasing of `first`, whose exclusions apply to it, too.
  LexicalQuestion understand_also(const std::string& text, const SearchQuery& query, const LexicalQuestion& first);
  struct Found {
    std::vector<LexicalCandidate> best;
    std::vector<LexicalCandidate> also;
  };
  // The best `count` that pass, or fewer if there are no more. A longer list begins with the shorter one. Exchanges
  // with the same content are all in it. Of `also`, exchanges that pass, what score() gives, for little more.
  Found candidates(const LexicalQuestion& question, CandidateFilter& filter, std::size_t count,
                   std::span<const ExchangeId> also = {});
  // Returns the features of these exchanges, in their order, even of those without a match. Ignores filters.
  std::vector<LexicalCandidate> score(const LexicalQuestion& question, std::span<const ExchangeId> ids);
  // Returns whether the exchange contains something that the query excludes.
  bool is_excluded(const LexicalQuestion& question, ExchangeId id);
  ExchangePlaces& places() { return places_; }  // of this question
  // For load_hit(). The question must live as long.
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
