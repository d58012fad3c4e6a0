#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::cli {

// The role of a piece of text, which decides its colour.
enum class Style : std::uint8_t { plain, strong, faint, id, name, match, good, warning, bad };

// One line for a person, in pieces of several styles. What is added is made harmless (schemas/harmless.hpp), so a line
// contains nothing that a terminal interprets. A value; one thread.
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
  // At most so many columns, with … for what is gone. 0: all of it.
  Line cut(std::size_t columns) const;

 private:
  std::vector<Piece> pieces_;
};

// The text of a hit. `matches`: the first byte and the length of each word that fits, in order; others are passed over.
Line with_matches(std::string_view text, const std::vector<std::int64_t>& matches);

// The same where the matches stand between « and ».
Line with_marks(std::string_view text);

// Returns the words of a query in lower case, without quotes and punctuation at their ends.
std::vector<std::string> words_to_mark(std::string_view query);
// The line with these words as matches, whatever else they were; `found` says whether there is one. Case of ASCII is
// passed over.
Line with_words(const Line& line, const std::vector<std::string>& words, bool& found);

// The lines that `line` takes where a line has `columns` (0: no limit), broken at blanks where it can be. At most
// `most` of them, the last with … if there is more; 0: all.
std::vector<Line> wrapped(const Line& line, std::size_t columns, std::size_t most = 0);

}  // namespace memd::cli
