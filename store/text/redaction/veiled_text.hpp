#pragma once

#include "store/text/redaction/escaped_text.hpp"

#include <string_view>

// Texts as their reader understands them, where a secret or its name is written otherwise. The results have the origin
// of each byte; the origin of the text's end is its size. Pure; thread-safe.
namespace memd::redaction {

// Removes sequences of terminals and signs of no width; resolves percent signs of URLs, entities of HTML, wide and
// curly punctuation; joins string literals that are added up, and lines that a backslash continues.
void unveil(std::string_view text, Unescaped& out);

// Writes arrays of strings as the command line that they stand for: ["mysql", "-pX"] becomes [mysql -pX]. A string with
// blanks keeps its quotes.
void join_arguments(std::string_view text, Unescaped& out);

}  // namespace memd::redaction
