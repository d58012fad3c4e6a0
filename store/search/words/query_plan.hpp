#pragma once

#include "store/search/words/query_parser.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::search {

// One way a thing can be written: words of the index that follow each other.
struct TermForm {
  std::vector<std::string> stems;
  double weight = 1;  // of an occurrence; below 1 for a guess
};

// One thing to look for: a word, a quoted phrase, an identifier.
struct Term {
  std::string text;             // as typed
  std::vector<TermForm> forms;  // the first is what was typed
  std::int64_t frequency = 0;   // documents; of a phrase that of its rarest word. 0: it stands in titles alone
  double idf = 0;
  double found_weight = 1;  // share of idf it counts when found: less than 1 where what is looked for is a guess
  bool required = false;
  bool drives = false;  // what holds no driving term is no candidate; the others only add to the score
  int position = 0;     // among the words typed; neighbours that are next to each other in a text count more
  int words = 1;
  // Of a pair of characters (query_terms.hpp), else as here:
  std::string run;      // the stretch as typed
  double share = 1;     // of a word's weight
  bool filler = false;  // grammar: left out when there is anything else
};

// A name in the query (file, symbol, error code) that is to be found just so: any of its spellings.
struct QueryIdentifier {
  std::string text;
  std::vector<TermForm> forms;
};

// A word that occurs nowhere, and the one it was read as.
struct CorrectedWord {
  std::string typed;
  std::string read_as;
};

struct QueryPlan {
  std::vector<Term> terms;  // driving ones first, then by idf; at most kMaxTerms
  std::vector<QueryIdentifier> identifiers;
  std::vector<TermForm> forbidden;
  std::string excluded;  // FTS5 expression of the same; empty: none
  std::vector<std::string> ignored;
  std::vector<std::string> unknown;  // those of `ignored` that occur nowhere
  std::vector<CorrectedWord> corrected;
  double total_idf = 0;     // of all terms, those that occur nowhere included
  bool impossible = false;  // something required occurs nowhere

  bool empty() const { return terms.empty() || impossible; }  // nothing to look for

  static constexpr std::size_t kMaxTerms = 24;
};

struct Vocabularies;

QueryPlan plan_query(const ParsedQuery& query, const Vocabularies& vocabularies);

}  // namespace memd::search
