#include "daemon/cli/render/line.hpp"

#include "daemon/cli/render/columns.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"

#include <algorithm>

namespace memd::cli {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::string_view kMatchBegin = "«";
constexpr std::string_view kMatchEnd = "»";

}  // namespace

Line& Line::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  std::string shown = harmless_line(text);
  if (!pieces_.empty() && pieces_.back().style == style)
    pieces_.back().text += shown;
  else
    pieces_.push_back({std::move(shown), style});
  return *this;
}

Line& Line::append(const Line& line) {
  pieces_.insert(pieces_.end(), line.pieces_.begin(), line.pieces_.end());
  return *this;
}

std::size_t Line::columns() const {
  std::size_t sum = 0;
  for (const Piece& piece : pieces_)
    sum += columns_of(piece.text);
  return sum;
}

Line Line::cut(std::size_t columns) const {
  if (columns == 0 || this->columns() <= columns) return *this;
  Line out;
  std::size_t left = columns - 1;  // one column for the …
  for (const Piece& piece : pieces_) {
    const std::size_t taken = bytes_within(piece.text, left);
    std::string_view kept = std::string_view(piece.text).substr(0, taken);
    if (taken < piece.text.size()) {
      while (kept.ends_with(' ') || kept.ends_with(kCut))
        kept.remove_suffix(kept.ends_with(' ') ? 1 : std::string_view(kCut).size());
      out.pieces_.push_back({std::string(kept) + std::string(kCut), piece.style});
      break;
    }
    out.pieces_.push_back(piece);
    left -= columns_of(kept);
  }
  return out;
}

Line with_matches(std::string_view text, const std::vector<std::int64_t>& matches) {
  Line out;
  std::size_t done = 0;
  for (std::size_t i = 0; i + 1 < matches.size(); i += 2) {
    const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(matches[i], 0));
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(matches[i + 1], 0));
    if (begin < done || begin > text.size() || length > text.size() - begin) continue;
    out.add(text.substr(done, begin - done)).add(text.substr(begin, length), Style::match);
    done = begin + length;
  }
  return out.add(text.substr(done));
}

Line with_marks(std::string_view text) {
  Line out;
  while (!text.empty()) {
    out.add(ascii::take_until(text, kMatchBegin));
    out.add(ascii::take_until(text, kMatchEnd), Style::match);
  }
  return out;
}

std::vector<std::string> words_to_mark(std::string_view query) {
  constexpr std::size_t kLeast = 2;  // bytes
  constexpr std::string_view kSigns = "\"'`.,:;!?()[]{}";
  std::vector<std::string> out;
  while (!query.empty()) {
    std::string_view word = ascii::take_until(query, ' ');
    const auto first = std::min(word.find_first_not_of(kSigns), word.size());
    word.remove_prefix(first);
    word = word.substr(0, word.find_last_not_of(kSigns) + 1);
    if (word.size() >= kLeast) out.push_back(ascii::lowered(word));
  }
  return out;
}

Line with_words(const Line& line, const std::vector<std::string>& words, bool& found) {
  Line out;
  found = false;
  for (const Line::Piece& piece : line.pieces()) {
    const std::string small = ascii::lowered(piece.text);
    std::size_t done = 0;
    while (done < small.size()) {
      std::size_t begin = std::string::npos;
      std::size_t length = 0;
      for (const std::string& word : words)
        if (const auto at = small.find(word, done); at < begin || (at == begin && word.size() > length)) {
          begin = at;
          length = word.size();
        }
      if (begin == std::string::npos) break;
      found = true;
      out.add(std::string_view(piece.text).substr(done, begin - done), piece.style);
      out.add(std::string_view(piece.text).substr(begin, length), Style::match);
      done = begin + length;
    }
    out.add(std::string_view(piece.text).substr(done), piece.style);
  }
  return out;
}

namespace {

// A word with the blanks after it, or a part of a word if its style changes.
struct Word {
  std::string_view text;
  std::string_view blanks;
  Style style;
};

std::vector<Word> words_of(const Line& line) {
  std::vector<Word> out;
  for (const Line::Piece& piece : line.pieces()) {
    std::string_view rest = piece.text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
      const std::string_view blanks = rest.substr(0, std::min(rest.find_first_not_of(' '), rest.size()));
      rest.remove_prefix(blanks.size());
      out.push_back({word, blanks, piece.style});
    }
  }
  return out;
}

class Wrapping {
 public:
  explicit Wrapping(std::size_t columns) : columns_(columns) {}

  // Appends a word. `glued_columns`: columns that the current line must have left, else a new line begins.
  void add(const Word& word, std::size_t glued_columns) {
    if (used_ > 0 && used_ + pending_.size() + glued_columns > columns_) end_line();
    if (!pending_.empty()) line_.add(pending_, pending_style_), used_ += pending_.size(), pending_ = {};
    std::string_view text = word.text;
    for (std::size_t width = columns_of(text); used_ + width > columns_; width = columns_of(text)) {
      // wider than a line: break at the end of the line
      const std::size_t taken = std::max<std::size_t>(bytes_within(text, columns_ - used_), used_ == 0 ? 1 : 0);
      line_.add(text.substr(0, taken), word.style);
      text.remove_prefix(taken);
      end_line();
    }
    line_.add(text, word.style);
    used_ += columns_of(text);
    pending_ = word.blanks;
    pending_style_ = word.style;
  }
  std::vector<Line> finish() {
    if (!line_.empty() || lines_.empty()) end_line();
    return std::move(lines_);
  }

 private:
  void end_line() {
    lines_.push_back(std::move(line_));
    line_ = Line();
    used_ = 0;
    pending_ = {};
  }

  const std::size_t columns_;
  std::size_t used_ = 0;
  std::string_view pending_;  // blanks after the last word
  Style pending_style_ = Style::plain;
  Line line_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> changed_lines(std::string_view text) {
  std::vector<Line> out;
  while (!text.empty()) {
    const std::string_view one = ascii::take_until(text, '\n');
    out.emplace_back(one, one.starts_with('+') ? Style::good : one.starts_with('-') ? Style::bad : Style::faint);
  }
  return out;
}

std::vector<Line> wrapped(const Line& line, std::size_t columns, std::size_t most) {
  if (columns == 0) return {line};
  const std::vector<Word> words = words_of(line);
  Wrapping wrapping(columns);
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Keep pieces without a blank between them together if they fit.
    std::size_t together = columns_of(words[i].text);
    for (std::size_t j = i; j + 1 < words.size() && words[j].blanks.empty(); ++j)
      together += columns_of(words[j + 1].text);
    const bool glued = i > 0 && words[i - 1].blanks.empty();
    wrapping.add(words[i], glued ? columns_of(words[i].text) : std::min(together, columns));
  }
  std::vector<Line> out = wrapping.finish();
  if (most == 0 || out.size() <= most) return out;
  out.resize(most);
  Line& last = out.back();
  last.add(kCut, Style::faint);
  last = last.cut(columns);
  return out;
}

}  // namespace memd::cli
