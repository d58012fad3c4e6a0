#pragma once

#include "schemas/hash.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/insight/topics/word_grades.hpp"
#include "store/search/words/vocabularies.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::topics {

using StemId = std::uint32_t;

struct WordFacts {
  StemId stem = 0;  // 0: nothing the index would hold
  WordGrade grade = WordGrade::telling;
};

struct Rarity {
  float share = 0;      // 0…1, 1: in one of a thousand exchanges or fewer
  bool single = false;  // in no exchange but one
};

// What is known of words: their stem as the full-text index has it, their grade, how rare they are. Remembers words,
// and forgets all of them when they are too many or the store has grown by a tenth. Throws ErrorException.
class Lexicon {
 public:
  explicit Lexicon(sqlite::Database& db);

  // Starts an exchange: ids given before may be gone.
  void refresh();
  WordFacts facts(std::string_view word);
  // Of its rarest part. Asks the index, the first time.
  Rarity rarity(WordFacts word);
  const std::string& stem(StemId id) const { return stems_[id].text; }

 private:
  template <class V>
  using ByText = std::unordered_map<std::string, V, TextHash, std::equal_to<>>;

  struct Stem {
    std::string text;
    std::int64_t documents = -1;  // that hold its rarest part; -1: not asked yet
  };

  WordFacts look_up(std::string_view word);

  search::IndexTokenizer tokenizer_;
  search::TermStatistics statistics_;
  ByText<WordGrade> grades_;  // by stem
  ByText<WordFacts> words_;   // as written
  ByText<StemId> ids_;
  std::vector<Stem> stems_;  // by id
  std::int64_t documents_ = 0;
  std::vector<search::Token> tokens_;
};

// The stems of a topic's words, joined by blanks: topics with the same are one. Empty when nothing of it is indexed.
std::string stems_of(const search::IndexTokenizer& tokenizer, std::string_view topic);

}  // namespace memd::topics
