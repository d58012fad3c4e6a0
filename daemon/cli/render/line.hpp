#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// The role of a piece of text, which decides its colour.
enum class Style : std::uint8_t { plain, strong, faint, id, name, match, good, warning, bad };

// One line for a user, in pieces of several styles. add() makes text harmless (schemas/base/harmless.hpp), so a line
// contains no escape sequences. A value; one thread.
class Line {
 public:
  struct Piece {
    std::string text;
    Style style = Style::plain;
  };

  Line() = default;
  Line(std::string_view text, Style style = Style::plain) { add(text, style); }  // NOLINT: text is a line
  Line(const char* text) : Line(std::string_view(text)) {}                       // NOLINT
  Line(const std::string& text) : Line(std::string_view(text)) {}                // NOLINT

  Line& add(std::string_view text, Style style = Style::plain);
  Line& append(const Line& line);

  const std::vector<Piece>& pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }
  std::size_t columns() const;
  // Returns the line cut to `columns`, with … in place of the rest. 0: no limit.
  Line cut(std::size_t columns) const;

 private:
  std::vector<Piece> pieces_;
};

// Returns the text of a hit with its matches marked. `matches`: byte offset and length of each match, in order; invalid
// ones are skipped.
Line with_matches(std::string_view text, const std::vector<std::int64_t>& matches);

// Does the same for a text whose matches are enclosed in « and ».
Line with_marks(std::string_view text);

// Returns the words of a query in lower case, without quotes and punctuation at their ends.
std::vector<std::string> words_to_mark(std::string_view query);
// Returns the line with these words styled as matches, whatever their style was. Sets `found` if there is a match.
// Ignores the case of ASCII letters.
Line with_words(const Line& line, const std::vector<std::string>& words, bool& found);

// Returns the lines of a change, what begins with + or - in its colour.
std::vector<Line> changed_lines(std::string_view text);

// Wraps `line` at `columns` (0: no limit), at blanks where possible. Returns at most `most` lines, the last one with …
// if text is left; 0: all.
std::vector<Line> wrapped(const Line& line, std::size_t columns, std::size_t most = 0);

}  // namespace memd::cli
