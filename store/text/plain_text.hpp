#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memd {

// The longest prefix of at most `limit` bytes that ends between characters.
std::string_view utf8_prefix(std::string_view text, std::size_t limit);

// The first line that is not empty, with runs of blanks as one blank. Longer than `limit` bytes it ends in "…".
std::string first_line(std::string_view text, std::size_t limit);

// A sentence as it is quoted: on one line, without the marks of lists, headings and bold type around it.
std::string plain_sentence(std::string_view text);

// Whether its last character is a question mark, also a full-width one.
bool ends_in_question_mark(std::string_view sentence);

// At most `bytes`, cut at a word and marked with "…" if it was longer. Never inside a UTF-8 sequence.
std::string shortened(std::string text, std::size_t bytes);

}  // namespace memd
