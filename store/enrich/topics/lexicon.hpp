#pragma once

#include "schemas/hash.hpp"
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

// Words and phrases, as those who look for topics see them.
namespace memd::topics {

using StemId = std::uint32_t;

// What a word can do for a phrase, whatever text it stands in; WordClass says more of each.
enum class WordGrade { border, verb, filler, common, telling };

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

// The stems of a topic's words, joined by blanks: topics with the same are one. Empty when nothing of it is indexed.
std::string stems_of(const search::IndexTokenizer& tokenizer, std::string_view topic);

inline constexpr std::size_t kLongestPhrase = 3;  // words

// One to three stems in order.
struct PhraseKey {
  std::array<StemId, kLongestPhrase> stems{};  // 0 behind the last
  std::size_t length() const { return stems[1] == 0 ? 1 : stems[2] == 0 ? 2 : 3; }
  bool operator==(const PhraseKey&) const = default;
};

struct Phrase {
  PhraseKey key;
  std::uint32_t first = 0;  // token where it first begins
  std::uint32_t count = 0;
  float weight = 0;  // of all its occurrences
  bool by_user = false;
  bool by_agent = false;
  bool named = false;  // once at least an identifier, a file, or written with a capital inside a sentence
};

// The phrases of one text and how often they occur. Kept between texts for its memory. One thread at a time.
class PhraseTable {
 public:
  void clear(std::size_t tokens);
  Phrase& at(const PhraseKey& key, std::uint32_t token);
  const Phrase* find(const PhraseKey& key) const;
  std::span<const Phrase> phrases() const { return phrases_; }

 private:
  std::size_t slot_of(const PhraseKey& key) const;

  std::vector<Phrase> phrases_;
  std::vector<std::uint32_t> slots_;  // index in phrases_ + 1; 0: free. A power of two, at most half full
};

struct GradedToken {
  ProseToken token;
  WordFacts facts;
};

// All phrases that could be a topic by their words, and all single words.
void collect_phrases(std::span<const GradedToken> tokens, PhraseTable& table);

// The phrase of `length` words at `first`, if nothing stands between them that no phrase goes across.
bool phrase_at(std::span<const GradedToken> tokens, std::size_t first, std::size_t length, PhraseKey& key);

// How a phrase is mostly written in a text, capitals that only begin a sentence made small.
std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase);

// The first letter made small (Latin, Cyrillic), unless another of its letters is a capital: GitHub, CLI.
std::string without_capital(std::string_view word);

}  // namespace memd::topics
