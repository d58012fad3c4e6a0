#pragma once

#include "store/db/fts5.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/search/words/query_plan.hpp"

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

}  // namespace memd::search
