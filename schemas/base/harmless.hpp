#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Sanitisers of text that memd shows. Text from other programs (paths, titles, words of persons and agents) may contain
// escape sequences, bidirectional controls, line breaks, and the marks between which memd quotes history. Pure
// functions, any thread.
namespace memd {

enum class Lines : std::uint8_t { kept, joined };

// Appends `text` in a form that is safe for a terminal, a log or a page: well-formed UTF-8 without control characters
// (C0 except line break and tab, DEL, C1) and without bidirectional controls (U+202A to U+202E, U+2066 to U+2069).
// Replaces them by visible characters, CRLF by a line break, U+2028 and U+2029 by a blank. Lines::joined: line breaks
// and tabs become blanks.
void append_harmless(std::string& out, std::string_view text, Lines lines);
std::string harmless(std::string_view text);
std::string harmless_line(std::string_view text);
// Escapes all characters in a JSON text that have a hidden_code(), which leaves the document the same. Invalid UTF-8
// becomes U+FFFD.
std::string harmless_json(std::string_view json);

// Returns the code point of a character outside C0 that memd escapes though JSON does not require it (DEL, C1,
// bidirectional controls, line and paragraph separators); 0 for any other.
unsigned hidden_code(std::string_view character);
void append_code_escape(std::string& out, unsigned code);  // \u009b

// Marks around recorded text, which a model has to treat as data.
inline constexpr std::string_view kHistoryBegin = "<history>";
inline constexpr std::string_view kHistoryEnd = "</history>";

// Appends recorded text to output for a model: harmless, with marks inside it made ineffective ("‹" for "<"). Use no
// other function for this.
void append_recorded(std::string& out, std::string_view text, Lines lines);
// Returns recorded text on one line between the marks, for messages.
std::string recorded(std::string_view text);

}  // namespace memd
