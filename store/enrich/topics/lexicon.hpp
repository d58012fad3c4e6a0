#pragma once

#include "schemas/base/hash.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/insight/topics/prose.hpp"
#include "store/search/words/vocabularies.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Words and phrases for topic extraction.
namespace memd::topics {

using StemId = std::uint32_t;

// The role of a word in a phrase, independent of the text; see WordClass.
enum class WordGrade { border, verb, filler, common, telling };

struct WordFacts {
  StemId stem = 0;  // 0: not indexed
  WordGrade grade = WordGrade::telling;
};

struct Rarity {
  float share = 0;      // 0…1; 1: in at most one of a thousand exchanges
  bool single = false;  // in a single exchange
};

// Facts on words: their stem as in the full-text index, their grade, their rarity. Caches words, and clears the cache
// when it is too large or the store has grown by a tenth. Throws ErrorException. One thread: that of the connection.
class Lexicon {
 public:
  explicit Lexicon(sqlite::Database& db);

  // Call at the start of an exchange; may invalidate earlier ids.
  void refresh();
  WordFacts facts(std::string_view word);
  // Returns the rarity of the word's rarest part. Queries the index on first use.
  Rarity rarity(WordFacts word);
  const std::string& stem(StemId id) const { return stems_[id].text; }

 private:
  template <class V>
  using ByText = std::unordered_map<std::string, V, TextHash, std::equal_to<>>;

  struct Stem {
    std::string text;
    std::int64_t documents = -1;  // document frequency of its rarest part; -1: not queried yet
  };

  WordFacts look_up(std::string_view word);
  const std::vector<search::Token>& tokens_of(std::string_view word);  // valid until the next call

  search::IndexTokenizer tokenizer_;
  search::TermStatistics statistics_;
  ByText<WordGrade> grades_;  // by stem
  ByText<WordFacts> words_;   // as written
  ByText<StemId> ids_;
  std::vector<Stem> stems_;  // by id
  std::int64_t documents_ = 0;
  std::vector<search::Token> tokens_;
};

inline constexpr std::size_t kLongestPhrase = 3;  // words

// One to three stems in order.
struct PhraseKey {
  std::array<StemId, kLongestPhrase> stems{};  // 0 after the last
  std::size_t length() const { return stems[1] == 0 ? 1 : stems[2] == 0 ? 2 : 3; }
  bool operator==(const PhraseKey&) const = default;
};

struct Phrase {
  PhraseKey key;
  std::uint32_t first = 0;  // index of the token where it first starts
  std::uint32_t count = 0;
  float weight = 0;  // total of all its occurrences
  bool by_user = false;
  bool by_agent = false;
  bool named = false;  // at least once an identifier, a file, or capitalised inside a sentence
};

// The phrases of one text with their counts. Reused for several texts to keep its memory. One thread at a time.
class PhraseTable {
 public:
  void clear(std::size_t tokens);
  Phrase& at(const PhraseKey& key, std::uint32_t token);
  const Phrase* find(const PhraseKey& key) const;
  std::span<const Phrase> phrases() const { return phrases_; }

 private:
  std::size_t slot_of(const PhraseKey& key) const;

  std::vector<Phrase> phrases_;
  std::vector<std::uint32_t> slots_;  // index into phrases_ + 1; 0: free. A power of two, at most half full
};

struct GradedToken {
  ProseToken token;
  WordFacts facts;
};

// Collects all phrases that could be a topic by their words, and all single words.
void collect_phrases(std::span<const GradedToken> tokens, PhraseTable& table);

// Returns whether the `length` words at `first` form a phrase without a border between them, and sets `key`.
bool phrase_at(std::span<const GradedToken> tokens, std::size_t first, std::size_t length, PhraseKey& key);

// Returns the most frequent spelling of a phrase in a text, with capitals that only start a sentence in lower case.
std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase);

// Returns the word with its first letter in lower case (Latin, Cyrillic), unless another letter is a capital: GitHub,
// CLI.
std::string without_capital(std::string_view word);

}  // namespace memd::topics
