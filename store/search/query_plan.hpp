#pragma once

#include "store/search/index_tokenizer.hpp"
#include "store/search/query_parser.hpp"
#include "store/search/term_statistics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::search {

// One thing to look for: a word, or a quoted phrase.
struct Term {
  std::string text;                // FTS5 string, quoted: "foo bar"
  std::vector<std::string> stems;  // one for a word
  std::int64_t frequency = 0;      // documents; of a phrase that of its rarest word
  double idf = 0;
  bool required = false;
  bool drives = false;  // its documents are walked; the others only add to the score of documents so found
  int position = 0;     // among the words typed; neighbours that are next to each other in a text count more
};

// How a query is run. Walking documents is what costs, so only the rarest words drive, as many as fit a budget of
// documents: what holds none of them, only commoner ones, is not found as long as there are rarer ones.
struct QueryPlan {
  std::vector<Term> terms;  // in the order of their phrases in `match`
  std::string match;        // FTS5 expression; empty: nothing to look for
  std::string excluded;     // FTS5 expression of what must not occur; empty: none
  std::vector<std::string> ignored;
  double total_idf = 0;     // of all terms, those that occur nowhere included
  bool impossible = false;  // something required occurs nowhere
};

QueryPlan plan_query(const ParsedQuery& query, const IndexTokenizer& tokenizer, TermStatistics& statistics);

}  // namespace memd::search
