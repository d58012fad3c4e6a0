#pragma once

#include "store/db/character_table.hpp"
#include "store/db/stems.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::tokenizer {

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
