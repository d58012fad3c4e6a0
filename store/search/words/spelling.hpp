#pragma once

#include "store/search/words/index_tokenizer.hpp"
#include "store/search/words/term_statistics.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memd::search {

struct Correction {
  std::string text;
  std::string stem;
  std::int64_t frequency = 0;  // documents
};

// The commonest word of the index that one slip of the fingers away is `word`: a letter too many, too few, another one,
// or two changed over. Only for words of five letters and more, and the first letter is taken to be right. Bounded:
// some 60 look-ups a letter.
std::optional<Correction> corrected(std::string_view word, const IndexTokenizer& tokenizer, TermStatistics& statistics);

}  // namespace memd::search
