#pragma once

#include "schemas/platform.hpp"
#include "schemas/query.hpp"
#include "schemas/time.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// What a pasted stack trace or error output says that would be said again: types and messages of errors without
// addresses, numbers and folders, then the files and functions of the innermost frames.
struct ErrorSignature {
  std::vector<std::string> messages;  // at most three, the most telling first
  std::vector<std::string> frames;    // "file function", at most six
};

// nullopt: the text is no output with an error in it. Traces of Python, JavaScript, Java, Rust, Go, C and C++ compilers
// and sanitizers are known; lines that speak of an error are found in anything of several lines.
std::optional<ErrorSignature> error_signature(std::string_view text);

// A stretch of what was typed that is to be cut into words by the index's own tokenizer.
struct QueryText {
  std::string text;     // valid UTF-8 without NUL
  bool quoted = false;  // in quotes: has to occur just so
};

// What was typed, taken apart. Words and phrases keep their order.
struct ParsedQuery {
  std::vector<QueryText> wanted;
  std::vector<QueryText> excluded;
  std::vector<std::string> paths;  // lower case; each has to be part of the path of a touched file
  std::vector<std::string> tools;  // lower case; each has to be part of the name of a tool called
  std::vector<Platform> platforms;
  std::string project;
  TimeMs since = 0;                    // inclusive; 0: open
  TimeMs until = 0;                    // exclusive; 0: open
  std::optional<TimeRange> preferred;  // the time it speaks of ("last week"): what is from then is liked better
  bool is_error_output = false;        // `wanted` is the signature of what was pasted
  std::vector<std::string> operators;  // what excludes or filters, as typed

  bool has_filters() const {
    return !paths.empty() || !tools.empty() || !platforms.empty() || !project.empty() || since != 0 || until != 0;
  }
};

enum class Operators { read, as_words };

// word  "a phrase"  -word  -"a phrase"  NOT word  path:x  tool:x  platform:x  project:x  since:DATE  until:DATE
// (file: is path:, a value may stand in quotes; until: a bare date includes that day).
//
// An operator is one only where it can mean nothing else. "-word" excludes behind another word, if it has three letters
// or more and nothing but letters; not near the name of a program, and not if the text has other options
// ("go test -race", "gcc -O2"). NOT excludes, but not among other capitals (SQL). A filter's value does not look like a
// piece of a URL, a position or JSON. Text of several lines was pasted and has no operators.
//
// A question of a time and nothing else ("what did I do yesterday") is a filter of that time. Pasted error output is
// reduced to its signature.
//
// Every input has a meaning: what does not fit the grammar (an open quote, an unknown platform, a date that is none,
// FTS5 operators) is a word or space, and bytes that are no UTF-8 are space. Of a text longer than kMaxQueryBytes
// only the start is read.
// now: for "last week"; 0: not understood
ParsedQuery parse_query(std::string_view text, TimeMs now = 0, Operators operators = Operators::read);

inline constexpr std::size_t kMaxQueryBytes = 8192;

}  // namespace memd::search
