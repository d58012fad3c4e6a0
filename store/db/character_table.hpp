#pragma once

#include "store/db/fts5_module.hpp"
#include "store/text/script.hpp"

#include <cstdint>

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

}  // namespace memd::tokenizer
