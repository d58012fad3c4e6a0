#include "store/search/words/rare_words.hpp"

#include "store/db/fts5.hpp"
#include "store/search/words/vocabularies.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace memd::search {

SharedRareWordsQuery::Answer SharedRareWordsQuery::run(sqlite::Database& db) const {
  constexpr std::size_t kShortestWord = 4;  // bytes of its stem
  constexpr std::int64_t kRareOf = 30;
  constexpr std::int64_t kRareAnyway = 3;  // turns of a small store
  const IndexTokenizer tokenizer(db.handle());
  const auto words_of = [&](std::string_view words) {
    std::vector<Token> tokens;
    tokenizer.tokenize(words, tokens);
    std::set<std::string> out;
    for (Token& token : tokens)
      if (token.stem.size() >= kShortestWord) out.insert(std::move(token.stem));
    return out;
  };
  const std::set<std::string> known = words_of(text);
  TermStatistics statistics(db);
  statistics.refresh();
  const std::int64_t most = std::max(kRareAnyway, statistics.documents() / kRareOf);
  return std::ranges::count_if(words_of(other), [&](const std::string& word) {
    return known.contains(word) && statistics.document_frequency(word) <= most;
  });
}

}  // namespace memd::search
