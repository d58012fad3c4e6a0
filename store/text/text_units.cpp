#include "store/text/text_units.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <optional>

namespace memd {
namespace {

constexpr std::size_t kLongBullet = 300;

enum class LineKind { blank, text, heading, bullet, table };

LineKind kind_of_line(std::string_view line) {
  line = ascii::trimmed(line);
  if (line.empty()) return LineKind::blank;
  if (line.front() == '#') {
    const std::size_t marks = line.find_first_not_of('#');
    if (marks != std::string_view::npos && marks <= 6 && line[marks] == ' ') return LineKind::heading;
  }
  if (line.front() == '|') return LineKind::table;
  if (line.size() > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ')
    return LineKind::bullet;
  if (line.starts_with("• ")) return LineKind::bullet;
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits != std::string_view::npos && digits > 0 && digits <= 3 && digits + 1 < line.size() &&
      (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ')
    return LineKind::bullet;
  return LineKind::text;
}

class UnitSplitter {
 public:
  explicit UnitSplitter(std::string_view text) : text_(text) {}

  std::vector<TextUnit> run() {
    FenceTracker fences;
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const std::string_view line = text_.substr(at, end - at);
      const bool was_open = fences.is_open();
      fences.line(line);
      if (was_open || fences.is_open()) {
        take(UnitKind::code, at, end);
        if (was_open && !fences.is_open()) flush();
      } else {
        plain_line(line, at, end);
      }
      at = end + 1;
    }
    flush();
    return std::move(units_);
  }

 private:
  void plain_line(std::string_view line, std::size_t begin, std::size_t end) {
    switch (kind_of_line(line)) {
      case LineKind::blank: flush(); break;
      case LineKind::heading:
        flush();
        take(UnitKind::heading, begin, end);
        flush();
        break;
      case LineKind::bullet:
        flush();
        take(UnitKind::bullet, begin, end);
        break;
      case LineKind::table: take(UnitKind::table, begin, end); break;
      case LineKind::text:
        // An indented line continues its list item.
        if (open_ && kind_ == UnitKind::bullet && (line.front() == ' ' || line.front() == '\t'))
          end_ = end;
        else
          take(UnitKind::sentence, begin, end);
        break;
    }
  }

  void take(UnitKind kind, std::size_t begin, std::size_t end) {
    if (open_ && kind_ != kind) flush();
    if (!open_) begin_ = begin;
    open_ = true;
    kind_ = kind;
    end_ = end;
  }

  void flush() {
    if (!open_) return;
    open_ = false;
    const std::string_view block = text_.substr(begin_, end_ - begin_);
    if (kind_ == UnitKind::sentence || (kind_ == UnitKind::bullet && block.size() > kLongBullet))
      sentences(block);
    else
      add(block, kind_);
  }

  void sentences(std::string_view block) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < block.size();) {
      const std::size_t end = may_end_sentence(block[i]) ? sentence_end_at(block, i) : 0;
      if (end == 0) {
        ++i;
        continue;
      }
      add(block.substr(begin, end - begin), kind_);
      begin = i = end;
    }
    add(block.substr(begin), kind_);
  }

  void add(std::string_view piece, UnitKind kind) {
    piece = ascii::trimmed(piece);
    if (!piece.empty()) units_.push_back({piece, kind});
  }

  std::string_view text_;
  std::vector<TextUnit> units_;
  bool open_ = false;
  UnitKind kind_ = UnitKind::sentence;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

std::vector<TextUnit> split_units(std::string_view text) { return UnitSplitter(text).run(); }

namespace {

bool is_word(char c) { return ascii::is_word(c) || ascii::is_non_ascii(c); }

bool is_abbreviation(std::string_view word) {
  if (word.size() == 1) return ascii::is_upper(word[0]) && word[0] != 'I';
  return words(WordClass::abbreviation).has(ascii::lowered(word));
}

}  // namespace

void FenceTracker::line(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t'))
    ++i;
  if (i >= line.size() || (line[i] != '`' && line[i] != '~')) return;
  const char mark = line[i];
  const std::size_t begin = i;
  while (i < line.size() && line[i] == mark)
    ++i;
  const std::size_t length = i - begin;
  if (length < 3) return;
  const std::string_view rest = line.substr(i);
  if (length_ == 0) {
    if (mark == '`' && rest.find('`') != std::string_view::npos) return;  // inline code
    mark_ = mark;
    length_ = length;
  } else if (mark == mark_ && length >= length_ && rest.find_first_not_of(" \t\r") == std::string_view::npos) {
    length_ = 0;
  }
}

FenceTracker fences_of(std::string_view text) {
  FenceTracker fences;
  while (!text.empty())
    fences.line(ascii::take_until(text, '\n'));
  return fences;
}

std::size_t sentence_end_at(std::string_view text, std::size_t i) {
  for (const std::string_view wide : {"。", "！", "？"})
    if (text.substr(i, wide.size()) == wide) return i + wide.size();
  const char c = text[i];
  if (c != '.' && c != '!' && c != '?') return 0;
  std::size_t end = i + 1;
  while (end < text.size() && (text[end] == '.' || text[end] == '!' || text[end] == '?'))
    ++end;
  while (end < text.size() && (text[end] == '"' || text[end] == '\'' || text[end] == ')' || text[end] == '*'))
    ++end;
  if (end < text.size() && !ascii::is_space(text[end])) return 0;
  if (c == '.' && end == i + 1) {
    std::size_t begin = i;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.'))
      --begin;
    const std::string_view word = text.substr(begin, i - begin);
    if (word.empty() && (begin == 0 || ascii::is_space(text[begin - 1]))) return 0;
    if (is_abbreviation(word)) return 0;
    // "1. First" opens a list item.
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && (begin == 0 || text[begin - 1] == '\n')) return 0;
    // "file.cpp. then": a lower-case letter continues the sentence.
    std::size_t next = end;
    while (next < text.size() && text[next] == ' ')
      ++next;
    if (next < text.size() && ascii::is_lower(text[next]) && !word.empty() && word.size() <= 3) return 0;
  }
  return end;
}

namespace {

struct Fence {
  char mark = 0;
  std::size_t length = 0;
  std::string_view info;
};

// CommonMark: at most three spaces, then three or more of ` or ~. The info string of a ` fence contains no `.
std::optional<Fence> fence_of(std::string_view line) {
  const auto start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || start > 3) return std::nullopt;
  const char mark = line[start];
  if (mark != '`' && mark != '~') return std::nullopt;
  const auto end = std::min(line.find_first_not_of(mark, start), line.size());
  if (end - start < 3) return std::nullopt;
  std::string_view info = line.substr(end);
  while (!info.empty() && (info.front() == ' ' || info.front() == '\t'))
    info.remove_prefix(1);
  while (!info.empty() && (info.back() == ' ' || info.back() == '\t' || info.back() == '\r'))
    info.remove_suffix(1);
  if (mark == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{mark, end - start, info};
}

}  // namespace

std::vector<CodeSnippet> code_snippets(std::string_view markdown) {
  std::vector<CodeSnippet> out;
  std::optional<Fence> open;
  for (std::size_t at = 0; at < markdown.size();) {
    const auto end = std::min(markdown.find('\n', at), markdown.size() - 1);
    const auto line = markdown.substr(at, end + 1 - at);
    at = end + 1;
    const auto fence = fence_of(line.substr(0, line.find('\n')));
    if (!open) {
      if (!fence) continue;
      open = fence;
      out.push_back({std::string(fence->info.substr(0, fence->info.find_first_of(" \t"))), {}, false});
    } else if (fence && fence->mark == open->mark && fence->length >= open->length && fence->info.empty()) {
      out.back().closed = true;
      open.reset();
    } else {
      out.back().code += line;
    }
  }
  return out;
}

}  // namespace memd
