#pragma once

#include "store/db/fts5.hpp"
#include "store/db/russian_stemmer.hpp"
#include "store/text/script.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tokenizer {

enum class CharacterKind : std::uint8_t {
  separator,
  mark,  // continues a word, cannot begin one
  letter,
};

struct Character {
  CharacterKind kind = CharacterKind::separator;
  Script script = Script::other;
  std::uint8_t size = 0;  // bytes used in `text`
  char text[5] = {};      // folded: lower case, no diacritics, usual width
};

// Classifies and folds characters. Characters without a rule of memd's own follow `unicode61 remove_diacritics 2` of
// this SQLite. Its results are fetched on demand in pages of 256 characters, once per process. One instance per thread.
class CharacterTable {
 public:
  explicit CharacterTable(fts5_api* api);

  const Character& find(std::uint32_t character);

 private:
  struct Page;
  const Page* make_page(std::uint32_t number) const;
  Character fetch(std::uint32_t character) const;

  Fts5Instance unicode61_;
  Character unusual_;  // the last requested code point beyond Unicode
};

// A word in the form the stem cache compares: lower case, padded with zeros.
struct ShortWord {
  static constexpr std::size_t kMost = 32;  // bytes
  union {
    std::uint64_t eights[kMost / 8];
    char text[kMost + 8];  // bytes after a word that was replaced by its stem are unspecified
  };
  std::size_t size;
};

// Stems words with FTS5's porter and Snowball's Russian stemmer. Caches the stems of short words, because stemming
// costs more than all other steps and texts repeat few words often. One thread. Throws std::bad_alloc.
class StemCache {
 public:
  explicit StemCache(fts5_api* api);
  ~StemCache();

  enum class Language : std::uint8_t { english, russian };

  // Replaces the word by its stem. The language must follow from its letters.
  void stem(ShortWord& word, Language language = Language::english) {
    if (word.size < 3 || !may_end(word.text[word.size - 2], word.text[word.size - 1])) return;
    Entry& entry = entries()[place_of(word)];
    if (entry.size != word.size || !same(entry, word)) fill(entry, word, language);
    if (entry.kept == kUnknown) return stem_uncached(word, language);
    std::memcpy(word.text + entry.kept, entry.end, sizeof(entry.end));
    word.size = entry.kept + std::size_t{entry.end_size};
  }
  void stem(std::string& word, Language language);

 private:
  static constexpr std::uint8_t kUnknown = 255;
  static constexpr int kBits = 13;
  struct Entry {
    std::uint64_t eights[ShortWord::kMost / 8];
    std::uint8_t size;
    // Number of bytes of the word that its stem begins with. kUnknown: the rest of the stem does not fit `end`.
    std::uint8_t kept;
    std::uint8_t end_size;
    char end[5];  // the stem's bytes after the kept ones
  };

  // Returns whether a stemmer can change a word with this ending: the endings of Porter's rules, or non-ASCII letters
  // for Snowball.
  static bool may_end(char before, char last) {
    const auto row = static_cast<unsigned char>(before);
    const auto column = static_cast<unsigned char>(last);
    return column >= 0x80 || (kEndings[column] >> (row & 31) & 1) != 0;
  }
  // Indexed by the last letter; one bit for each letter before it.
  static const std::array<std::uint32_t, 128> kEndings;
  static std::size_t place_of(const ShortWord& word) {
    const std::uint64_t* e = word.eights;
    std::uint64_t h = (e[0] + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9 ^ (e[1] + 1) * 0x94D049BB133111EB ^
                      (e[2] + 1) * 0xD6E8FEB86659FD93 ^ (e[3] + 1) * 0xA0761D6478BD642F;
    h ^= h >> 29;
    return h * 0x9FB21C651E98DF25 >> (64 - kBits);
  }
  static bool same(const Entry& a, const ShortWord& b) {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < ShortWord::kMost / 8; ++i)
      differs |= a.eights[i] ^ b.eights[i];
    return differs == 0;
  }
  Entry* entries() {
    if (entries_.empty()) entries_.resize(std::size_t{1} << kBits);
    return entries_.data();
  }
  void fill(Entry& entry, const ShortWord& word, Language language);
  void stem_uncached(ShortWord& word, Language language);
  std::string_view stem_of(std::string_view word, Language language);

  Fts5Instance porter_;
  std::unique_ptr<RussianStemmer> russian_;  // created at the first Russian word
  std::vector<Entry> entries_;               // indexed by a hash of the word; allocated at the first word
  std::string stem_;
};

// Splits a text into the tokens of the index. Latin letters, digits and signs are tokenized exactly as by `porter
// unicode61 remove_diacritics 2`. One caller at a time. Additional rules:
//   Cyrillic: words are stemmed; ё is folded to е. A word ends where Latin letters begin.
//   Han, kana, Hangul, Thai, Lao, Khmer, Burmese: become pairs of characters: 数据库 is 数据 据库. A stored text also
//   yields each single character, at the position of the pair it begins (the last one: of the pair it ends), so that a
//   query of one character has its own entry. Half-width and decomposed characters are folded to the usual ones.
//   Full-width: Latin letters and digits are folded to the usual ones.
class FtsTokenizer {
 public:
  using TokenCallback = Fts5Instance::TokenCallback;

  explicit FtsTokenizer(fts5_api* api) : characters_(api), stems_(api) {}

  // Tokenizes `text`. A query (not `stored`) of several characters yields only their pairs. Stops early and returns the
  // result of `callback` when that is not SQLITE_OK. Throws std::bad_alloc.
  int tokenize(std::string_view text, bool stored, void* context, TokenCallback callback);

 private:
  struct Unit {  // a character of a pair, composed
    std::array<char, 4> text{};
    std::size_t size = 0;
    std::size_t start = 0;
    std::size_t end = 0;
    std::string_view view() const { return {text.data(), size}; }
  };

  bool read_ascii_word(std::size_t at, ShortWord& word) const;
  int tokenize_word(std::size_t& at);
  int tokenize_pairs(std::size_t& at);
  Unit next_unit(std::size_t& at);
  bool is_paired_at(std::size_t at, Script like);
  int emit(std::string_view token, int flags, std::size_t start, std::size_t end) {
    return callback_(context_, flags, token.data(), static_cast<int>(token.size()), static_cast<int>(start),
                     static_cast<int>(end));
  }
  int emit_word(std::size_t start, std::size_t end, Script script);

  CharacterTable characters_;
  StemCache stems_;
  std::string word_;

  std::string_view text_;  // arguments of the current call
  bool stored_ = false;
  void* context_ = nullptr;
  TokenCallback callback_ = nullptr;
};

}  // namespace memd::tokenizer
