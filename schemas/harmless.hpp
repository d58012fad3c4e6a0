#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Text of other programs' making (paths, titles, words of persons and agents) may hold what a terminal obeys, what
// turns the order of letters around, line breaks, and the marks between which memd quotes history. What memd shows
// goes through these functions. Pure; every thread may call them.
namespace memd {

enum class Lines : std::uint8_t { kept, joined };

// Appends `text` as a terminal, a log or a page may have it: well-formed UTF-8 without control characters (C0 but line
// break and tab, DEL, C1) and without controls of direction (U+202A to U+202E, U+2066 to U+2069). They become visible
// signs. Lines::joined: line breaks and tabs become blanks.
void append_harmless(std::string& out, std::string_view text, Lines lines);
std::string harmless(std::string_view text);
std::string harmless_line(std::string_view text);
// JSON in which these characters stand escaped: the same document.
std::string harmless_json(std::string_view json);

// The code of a character beyond C0 that JSON does not have to escape and no reader is to see raw (DEL, C1, controls of
// direction, separators of lines and paragraphs); 0 for any other.
unsigned hidden_code(std::string_view character);
void append_code_escape(std::string& out, unsigned code);  // \u009b

// The marks around what a reader has to take as data.
inline constexpr std::string_view kHistoryBegin = "<history>";
inline constexpr std::string_view kHistoryEnd = "</history>";

// The one function that writes recorded text where a model reads: harmless, and without these marks.
void append_recorded(std::string& out, std::string_view text, Lines lines);
// On one line between the marks, for messages.
std::string recorded(std::string_view text);

}  // namespace memd
