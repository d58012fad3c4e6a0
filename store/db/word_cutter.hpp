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
  mark,  // goes on with a word, begins none
  letter,
};

struct Character {
  CharacterKind kind = CharacterKind::separator;
  Script script = Script::other;
  std::uint8_t size = 0;  // bytes of text
  char text[5] = {};      // folded: lower case, without diacritics, in its usual width
};

// What each character is to words. Where memd has no rule of its own, that is what `unicode61 remove_diacritics 2` of
// this SQLite says: it is asked, 256 characters at a time, as they come, once in a process. One thread each.
class CharacterTable {
 public:
  explicit CharacterTable(fts5_api* api);

  const Character& find(std::uint32_t character);

 private:
  struct Page;
  const Page* make_page(std::uint32_t number) const;
  Character ask(std::uint32_t character) const;

  Fts5Instance unicode61_;
  Character unusual_;  // the one beyond Unicode that was asked for last
};

// A word as the table of stems compares it: lower case, zeros behind it.
struct ShortWord {
  static constexpr std::size_t kMost = 32;  // bytes
  union {
    std::uint64_t eights[kMost / 8];
    char text[kMost + 8];  // what stands behind the word when it has become its stem means nothing
  };
  std::size_t size;
};

// Words to stems: FTS5's own porter, and Snowball's Russian. Stemming costs more than all else that is done to a word,
// and a text says few words often: stems of short ones are remembered. One thread. Throws std::bad_alloc.
class Stems {
 public:
  explicit Stems(fts5_api* api);
  ~Stems();

  enum class Language : std::uint8_t { english, russian };

  // Turns the word into its stem. The language has to follow from its letters.
  void stem(ShortWord& word, Language language = Language::english) {
    if (word.size < 3 || !may_end(word.text[word.size - 2], word.text[word.size - 1])) return;
    Entry& entry = entries()[place_of(word)];
    if (entry.size != word.size || !same(entry, word)) learn(entry, word, language);
    if (entry.kept == kUnknown) return stem_anew(word, language);
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
    std::uint8_t kept;  // bytes of the word that its stem begins with, or kUnknown: it ends in too much else
    std::uint8_t end_size;
    char end[5];  // of the stem, behind them
  };

  // Porter's rules begin with words that end so; Snowball's know letters beyond ASCII alone.
  static bool may_end(char before, char last) {
    const auto row = static_cast<unsigned char>(before);
    const auto column = static_cast<unsigned char>(last);
    return column >= 0x80 || (kEndings[column] >> (row & 31) & 1) != 0;
  }
  static const std::array<std::uint32_t, 128> kEndings;  // by the last letter, a bit a letter before it
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
  void learn(Entry& entry, const ShortWord& word, Language language);
  void stem_anew(ShortWord& word, Language language);
  std::string_view stem_of(std::string_view word, Language language);

  Fts5Instance porter_;
  std::unique_ptr<RussianStemmer> russian_;  // from the first Russian word on
  std::vector<Entry> entries_;               // by a hash of the word; from the first word on
  std::string stem_;
};

// Cuts a text into the words of the index, for one caller at a time. Where there are Latin letters, digits and signs:
// just as `porter unicode61 remove_diacritics 2`. Besides,
//
//   Cyrillic   words are reduced to their stem; ё is е. They end where Latin letters begin.
//   Han, kana, Hangul, Thai, Lao, Khmer, Burmese
//              are read in pairs of characters: 数据库 is 数据 据库. A text to be stored gives each character besides,
//              at the place of the pair it begins (the last one, of the pair it ends), so that a question of one
//              character is answered by its own entry. Half-width and decomposed characters are as the usual ones.
//   full-width Latin letters and digits are as the usual ones.
class WordCutter {
 public:
  using Take = Fts5Instance::Take;

  explicit WordCutter(fts5_api* api) : characters_(api), stems_(api) {}

  // A question (not `stored`) of several characters asks for their pairs alone. Ends early with what `take` gives when
  // that is not SQLITE_OK. Throws std::bad_alloc.
  int cut(std::string_view text, bool stored, void* context, Take take);

 private:
  struct Unit {  // a character of a pair, composed
    std::array<char, 4> text{};
    std::size_t size = 0;
    std::size_t start = 0;
    std::size_t end = 0;
    std::string_view view() const { return {text.data(), size}; }
  };

  bool read_ascii_word(std::size_t at, ShortWord& word) const;
  int cut_here(std::size_t& at);
  int cut_pairs(std::size_t& at);
  Unit next_unit(std::size_t& at);
  bool is_paired_at(std::size_t at, Script like);
  int give(std::string_view token, int flags, std::size_t start, std::size_t end) {
    return take_(context_, flags, token.data(), static_cast<int>(token.size()), static_cast<int>(start),
                 static_cast<int>(end));
  }
  int give_word(std::size_t start, std::size_t end, Script script);

  CharacterTable characters_;
  Stems stems_;
  std::string word_;

  std::string_view text_;  // of this call
  bool stored_ = false;
  void* context_ = nullptr;
  Take take_ = nullptr;
};

}  // namespace memd::tokenizer
