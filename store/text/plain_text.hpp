#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memd {

// Returns the first non-empty line with runs of blanks collapsed. If it is longer than `limit` bytes, it is cut and
// ends in "…".
std::string first_line(std::string_view text, std::size_t limit);

// Returns a sentence in quotable form: on one line, without list, heading and bold markers around it.
std::string plain_sentence(std::string_view text);

// Returns whether the last character is a question mark, including a full-width one.
bool ends_in_question_mark(std::string_view sentence);

// Returns whether a text was copied from the screen of an agent or a shell, by the signs that these draw.
bool shows_screen(std::string_view text);

// Returns at most `bytes`; a longer text is cut at a word and marked with "…". Never cuts a UTF-8 sequence.
std::string shortened(std::string text, std::size_t bytes);
// Like shortened(), with the limit in characters. No blank precedes the "…".
std::string shortened_to_characters(std::string text, std::size_t characters);

}  // namespace memd
