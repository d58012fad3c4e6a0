#pragma once

#include "store/db/fts5.hpp"
#include "store/search/words/query_plan.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Text written without blanks between words is searched by pairs of characters (store/db/word_cutter.hpp). The pairs of
// a run share the weight of the words that the run is guessed to hold, so that a long run does not count more than its
// words. Pure functions; any thread may call them.
namespace memd::search {

// True for a pair of characters and for a character that stands alone.
bool is_of_pairs(const Token& token);

// Makes a term of each pair, in order. `run`: the tokens of a part of `text` that overlap.
std::vector<Term> terms_of_run(std::string_view text, std::span<const Token> run);

// Gives the pairs their share of the weight; the idf of all terms must be set. A pair that occurs nowhere, next to one
// that does, is where two words meet: it counts nothing. A pair inside of a run that is rarer than both its neighbours
// counts no more than they.
void share_weight(std::vector<Term>& terms, const std::function<bool(const Term&)>& is_known);

}  // namespace memd::search
