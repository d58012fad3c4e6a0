#pragma once

#include "store/search/words/index_tokenizer.hpp"
#include "store/search/words/query_plan.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What is written without blanks between words is looked for by pairs of characters (store/db/word_cutter.hpp).
// The pairs of a run share the weight of the words that it is guessed to hold, so that a long one counts as its words
// do and no more.
namespace memd::search {

// The token is a pair of characters, or one that stands alone.
bool is_of_pairs(const Token& token);

// A term for each pair, one behind the other. `run`: the tokens of a stretch of `text` that overlap.
std::vector<Term> terms_of_run(std::string_view text, std::span<const Token> run);

// When the idf of all terms is known: the pairs get their share of it. A pair that occurs nowhere while the one before
// or behind it does is no word, but where two meet, and counts nothing; one inside of a run that is rarer than both its
// neighbours counts no more than they.
void share_weight(std::vector<Term>& terms, const std::function<bool(const Term&)>& is_known);

}  // namespace memd::search
