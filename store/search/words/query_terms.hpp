#pragma once

#include "store/db/fts5.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memd::search {

// The query as terms with all their spellings. Names match in any spelling: parseConfig, parse_config and "parse
// config" are equivalent.
struct QueryTerms {
  std::vector<Term> terms;  // in the order typed; frequency and idf are not set
  std::vector<QueryIdentifier> identifiers;
  std::vector<std::string> wordless;  // pieces without letters or digits
};

QueryTerms terms_of(const ParsedQuery& query, const IndexTokenizer& tokenizer, FullTextIndex& index);

// Scales the idf of pairs of characters by their share of the weight. The idf of all terms must be set. A pair that
// occurs nowhere, next to one that does, is the border of two words and gets weight 0. The idf of a pair inside a run
// is limited to that of its rarer neighbour.
//
// Text written without blanks between words is searched by pairs of characters (store/db/fts_tokenizer.hpp). The pairs
// of a run share the weight of its estimated number of words, so that a long run does not outweigh them.
void share_weight(std::vector<Term>& terms, const std::function<bool(const Term&)>& is_known);

}  // namespace memd::search
