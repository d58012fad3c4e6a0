#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/search_request.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// The parts of a pasted stack trace or error output that recur when the error does: types and messages of errors
// without addresses, numbers and folders, then the files and functions of the innermost frames.
struct ErrorSignature {
  std::vector<std::string> messages;  // at most three, the most specific first
  std::vector<std::string> frames;    // "file function", at most six
};

// Extracts the signature; nullopt when the text is no error output. Recognises traces of Python, JavaScript, Java,
// Rust, Go, C and C++ compilers and sanitizers, and lines that mention an error in any text of several lines.
std::optional<ErrorSignature> error_signature(std::string_view text);

enum class Operators { read, as_words };

// Parses this syntax:
// word  "a phrase"  -word  -"a phrase"  NOT word  path:x  tool:x  platform:x  project:x  since:DATE  until:DATE
// (file: is path:, a value may be quoted; until: with a bare date includes that day).
//
// Operators are read only where they are unambiguous. "-word" excludes if it follows another word and consists of at
// least three letters. It does not exclude near the name of a program or if the text has other options ("go test
// -race", "gcc -O2"). NOT excludes, but not among other capitals (SQL). A filter's value must not look like a piece of
// a URL, a position or JSON. Text of several lines was pasted and has no operators.
//
// A query that only mentions a time ("what did I do yesterday") becomes a filter for that time. Pasted error output is
// reduced to its signature.
//
// Accepts every input: text outside the grammar (an open quote, an unknown platform, an invalid date, FTS5 operators)
// is read as words or space, and invalid UTF-8 as space. Reads at most the first kMaxQueryBytes.
// now: for relative times ("last week"); 0: they are not recognised
ParsedQuery parse_query(std::string_view text, TimeMs now = 0, Operators operators = Operators::read);

inline constexpr std::size_t kMaxQueryBytes = 8192;

// Returns the words and phrases, separated by blanks.
std::string joined(const std::vector<QueryText>& pieces);

}  // namespace memd::search
