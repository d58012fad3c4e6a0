#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Letters that the index reads otherwise than SQLite's unicode61 does. Ranges as the Unicode blocks have them.
namespace memd::tokenizer {

enum class Script : std::uint8_t {
  other,     // Latin, Greek, Arabic, …, signs: as unicode61 has them
  wide,      // full-width Latin letters and digits
  cyrillic,  // stemmed
  // Written without blanks between words, or with endings that are part of them: read in pairs of characters.
  han,
  hiragana,
  katakana,
  hangul,
  thai,  // and Lao, Khmer, Burmese
};

Script script_of(std::uint32_t character);

inline bool is_paired(Script script) { return script >= Script::han; }

// Letters, digits, the marks that belong to them, and "_". Not blanks, punctuation, arrows, boxes and emoji.
bool is_word_character(std::uint32_t character);

// The character at `at` (< text.size()), which is moved behind it; bytes that are no UTF-8 as SQLite reads them.
std::uint32_t next_character(std::string_view text, std::size_t& at);

// Appends the character as UTF-8; at most 4 bytes. Returns how many.
std::size_t write_character(std::uint32_t character, char* out);

// There is a character in it of any script but `other`.
bool has_other_scripts(std::string_view text);

// Russian capitals made small, ё made е; all else as it is, at the places where it is.
std::string small_cyrillic(std::string_view text);

}  // namespace memd::tokenizer
