#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Scripts that the index tokenises differently from SQLite's unicode61. Ranges follow the Unicode blocks.
namespace memd::tokenizer {

enum class Script : std::uint8_t {
  other,     // Latin, Greek, Arabic, …, punctuation: as unicode61
  wide,      // full-width Latin letters and digits
  cyrillic,  // stemmed
  // Written without blanks between words, or with endings attached: indexed as pairs of characters.
  han,
  hiragana,
  katakana,
  hangul,
  thai,  // and Lao, Khmer, Burmese
};

Script script_of(std::uint32_t character);

inline bool is_paired(Script script) { return script >= Script::han; }

// Returns whether it is a letter, a digit, a combining mark or "_". False for blanks, punctuation, arrows, box drawing
// and emoji.
bool is_word_character(std::uint32_t character);

// Decodes the character at `at` (< text.size()) and advances `at`. Reads invalid UTF-8 as SQLite does.
std::uint32_t next_character(std::string_view text, std::size_t& at);

// Returns whether the text contains a script other than `other`.
bool has_other_scripts(std::string_view text);

// Converts Russian capitals to lower case and ё to е. All byte offsets stay the same.
std::string small_cyrillic(std::string_view text);

}  // namespace memd::tokenizer
