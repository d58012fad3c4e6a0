#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memd::continuity {

// The JSON string that begins with the quote at `at`, with blanks for line breaks and tabs; `at` moves behind its end.
// As far as it goes where it is cut.
inline std::string read_quoted(std::string_view text, std::size_t& at) {
  std::string out;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at];
      continue;
    }
    ++at;
    out += text[at] == 'n' || text[at] == 't' ? ' ' : text[at];
  }
  if (at < text.size()) ++at;
  return out;
}

}  // namespace memd::continuity
