#pragma once

#include "store/db/fts5.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/search/words/query_plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memd::search {

// What was typed, as terms with all the ways they can be written. Names are found however they are spelled:
// parseConfig, parse_config and "parse config" ask for the same.
struct QueryTerms {
  std::vector<Term> terms;  // without frequencies; in the order typed
  std::vector<QueryIdentifier> identifiers;
  std::vector<std::string> wordless;  // pieces without letters or digits
};

QueryTerms terms_of(const ParsedQuery& query, const IndexTokenizer& tokenizer, FullTextIndex& index);

// Text written without blanks between words is searched by pairs of characters (store/db/word_cutter.hpp). The pairs of
// a run share the weight of the words that the run is guessed to hold, so that a long run does not count more than its
// words.
//
// Gives the pairs their share of the weight; the idf of all terms must be set. A pair that occurs nowhere, next to one
// that does, is where two words meet: it counts nothing. A pair inside of a run that is rarer than both its neighbours
// counts no more than they.
void share_weight(std::vector<Term>& terms, const std::function<bool(const Term&)>& is_known);

}  // namespace memd::search
