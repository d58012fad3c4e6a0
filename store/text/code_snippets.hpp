#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A fenced block of an answer.
struct CodeSnippet {
  std::string language;  // as written behind the fence; may be empty
  std::string code;      // without the fences, with its last newline
  bool closed = true;    // false: the text ended inside the block
};

// Fenced code blocks of a text (``` or ~~~, any length ≥ 3), in order. Any thread.
std::vector<CodeSnippet> code_snippets(std::string_view markdown);

}  // namespace memd
