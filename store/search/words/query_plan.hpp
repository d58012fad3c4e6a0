#pragma once

#include "store/search/words/query_parser.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::search {

// A spelling of a term: consecutive words of the index.
struct TermForm {
  std::vector<std::string> stems;
  double weight = 1;  // of one occurrence; below 1 for a guess
};

// A search term: a word, a quoted phrase or a name.
struct Term {
  std::string text;             // as typed
  std::vector<TermForm> forms;  // the first is the one typed
  std::int64_t frequency = 0;   // document frequency; of a phrase: of its rarest word. 0: only titles contain it
  double idf = 0;
  double found_weight = 1;  // factor on idf when found; below 1 for a guess
  bool required = false;
  bool drives = false;  // a candidate must contain a driving term; the others only add to the score
  int position = 0;     // among the words typed; the score rises when neighbours are adjacent in a text
  int words = 1;
  // Set only for a pair of characters (query_terms.hpp):
  std::string run;      // the text without blanks that it is part of, as typed
  double share = 1;     // share of a word's weight
  bool filler = false;  // grammatical: dropped when there are other terms
};

// A name in the query (file, symbol, error code) that must match exactly in one of its spellings.
struct QueryIdentifier {
  std::string text;
  std::vector<TermForm> forms;
};

// A word that occurs nowhere, and the word that replaces it.
struct CorrectedWord {
  std::string typed;
  std::string read_as;
};

struct QueryPlan {
  std::vector<Term> terms;  // required first, then driving, then by idf; at most kMaxTerms
  std::vector<QueryIdentifier> identifiers;
  std::vector<TermForm> forbidden;
  std::string excluded;  // `forbidden` as an FTS5 expression; empty: none
  std::vector<std::string> ignored;
  std::vector<std::string> unknown;  // the part of `ignored` that occurs nowhere
  std::vector<CorrectedWord> corrected;
  double total_idf = 0;     // of `terms` and of the terms that occur nowhere
  bool impossible = false;  // a required term occurs nowhere

  bool empty() const { return terms.empty() || impossible; }  // has no results

  static constexpr std::size_t kMaxTerms = 24;
};

struct Vocabularies;

QueryPlan plan_query(const ParsedQuery& query, const Vocabularies& vocabularies);

}  // namespace memd::search
