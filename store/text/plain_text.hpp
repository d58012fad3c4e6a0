#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memd {

// A sentence as it is quoted: on one line, without the marks of lists, headings and bold type around it.
std::string plain_sentence(std::string_view text);

// At most `bytes`, cut at a word and marked with "…" if it was longer. Never inside a UTF-8 sequence.
std::string shortened(std::string text, std::size_t bytes);

}  // namespace memd
