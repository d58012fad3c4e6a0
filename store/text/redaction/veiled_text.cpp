#include "store/text/redaction/veiled_text.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace memd::redaction {
namespace {

// What is written, and what it means. Nothing becomes longer.
struct Spelling {
  std::string_view written;
  std::string_view meant;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {"\xE2\x80\x8B", ""},    // zero width space
    {"\xE2\x80\x8C", ""},    // zero width non-joiner
    {"\xE2\x80\x8D", ""},    // zero width joiner
    {"\xE2\x81\xA0", ""},    // word joiner
    {"\xEF\xBB\xBF", ""},    // byte order mark
    {"\xC2\xAD", ""},        // soft hyphen
    {"\xC2\xA0", " "},       // no-break space
    {"\xE2\x80\xAF", " "},   // narrow no-break space
    {"\xEF\xBC\x9A", ":"},   // full-width colon
    {"\xEF\xBC\x9D", "="},   // full-width equals sign
    {"\xE2\x80\x9C", "\""},  // curly quotes
    {"\xE2\x80\x9D", "\""}, {"\xE2\x80\x98", "'"}, {"\xE2\x80\x99", "'"}, {"&quot;", "\""},
    {"&apos;", "'"},        {"&amp;", "&"},        {"&lt;", "<"},         {"&gt;", ">"},
    {"&nbsp;", " "},        {"&equals;", "="},     {"&colon;", ":"},      {"&lowbar;", "_"},
});

// Returns the length of the sequence of a terminal at the start of the text: ESC [ … letter.
std::size_t terminal_sequence(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
  for (std::size_t i = 2; i < text.size() && i < 24; ++i)
    if (ascii::is_letter(text[i])) return i + 1;
  return 0;
}

// Returns the length of the entity "&#95;" or "&#x5F;" at the start of the text, and its character.
std::size_t numbered_entity(std::string_view text, char& c) {
  if (!text.starts_with("&#")) return 0;
  const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  int value = 0;
  for (std::size_t i = hex ? 3 : 2; i < text.size() && i < 8; ++i) {
    if (text[i] == ';') {
      c = static_cast<char>(value);
      return value >= ' ' && value < 0x7F ? i + 1 : 0;
    }
    const int digit = hex ? ascii::hex_value(text[i]) : ascii::is_digit(text[i]) ? text[i] - '0' : -1;
    if (digit < 0) return 0;
    value = value * (hex ? 16 : 10) + digit;
  }
  return 0;
}

std::size_t percent_sign(std::string_view text, char& c) {
  if (text.size() < 3 || text[0] != '%') return 0;
  const int high = ascii::hex_value(text[1]);
  const int low = ascii::hex_value(text[2]);
  if (high < 0 || low < 0) return 0;
  c = static_cast<char>(high * 16 + low);
  return c >= ' ' && c < 0x7F ? 3 : 0;
}

// Returns the length of what joins two literals at the start of the text, `" + "`, or of a continued line.
std::size_t joint(std::string_view text) {
  if (text.starts_with("\\\n")) return 2;
  const char quote = text.front();
  if (quote != '"' && quote != '\'') return 0;
  std::size_t i = 1;
  bool added = false;
  for (; i < text.size() && i < 64; ++i) {
    if (text[i] == '+' || text[i] == '.' || text[i] == '&') {
      if (added) return 0;
      added = true;
    } else if (!ascii::is_space(text[i])) {
      break;
    }
  }
  return added && i < text.size() && text[i] == quote ? i + 1 : 0;
}

bool may_begin_something(char c) {
  return c == '\x1b' || c == '&' || c == '%' || c == '"' || c == '\'' || c == '\\' || c == '\xE2' || c == '\xEF' ||
         c == '\xC2';
}

// Writes at most as many bytes as it reads.
class ReadingWriter {
 public:
  ReadingWriter(std::size_t size, Unescaped& out) : out_(out) {
    out.text.resize(size);
    out.origin.resize(size + 1);
    out.changed = false;
    text_ = out.text.data();
    origin_ = out.origin.data();
  }
  void put(char c, std::size_t from) {
    text_[size_] = c;
    origin_[size_++] = static_cast<std::uint32_t>(from);
  }
  void put(std::string_view all, std::size_t begin, std::size_t end) {
    std::memcpy(text_ + size_, all.data() + begin, end - begin);
    for (std::size_t i = begin; i < end; ++i)
      origin_[size_++] = static_cast<std::uint32_t>(i);
  }
  void end(std::size_t from) {
    origin_[size_] = static_cast<std::uint32_t>(from);
    out_.text.resize(size_);
    out_.origin.resize(size_ + 1);
  }
  void mark() { out_.changed = true; }

 private:
  Unescaped& out_;
  char* text_;
  std::uint32_t* origin_;
  std::size_t size_ = 0;
};

// Returns the place at or after `from` where an argument may begin: a quotation mark behind a bracket or a blank.
std::size_t next_argument(std::string_view text, std::size_t from) {
  for (std::size_t i = text.find_first_of("\"'", from); i < text.size(); i = text.find_first_of("\"'", i + 1)) {
    const char before = i > 0 ? text[i - 1] : '\0';
    if (before == '[' || before == '(' || before == ' ' || before == '\n') return i;
  }
  return text.size();
}

}  // namespace

void unveil(std::string_view text, Unescaped& out) {
  ReadingWriter writer(text.size(), out);
  for (std::size_t i = 0; i < text.size();) {
    if (!may_begin_something(text[i])) {
      writer.put(text[i], i);
      ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    char c = 0;
    std::size_t length = terminal_sequence(rest);
    if (length == 0) length = joint(rest);
    if (length == 0) {
      length = numbered_entity(rest, c);
      if (length == 0) length = percent_sign(rest, c);
      if (length > 0) writer.put(c, i);
    }
    if (length == 0)
      for (const Spelling& spelling : kSpellings)
        if (rest.starts_with(spelling.written)) {
          length = spelling.written.size();
          for (const char meant : spelling.meant)
            writer.put(meant, i);
          break;
        }
    if (length > 0) {
      writer.mark();
      i += length;
    } else {
      writer.put(text[i], i);
      ++i;
    }
  }
  writer.end(text.size());
}

void join_arguments(std::string_view text, Unescaped& out) {
  ReadingWriter writer(text.size(), out);
  constexpr std::size_t kLongest = 1024;  // bytes of an argument
  bool is_behind_argument = false;
  for (std::size_t i = 0; i < text.size();) {
    const char quote = text[i];
    const bool continues = is_behind_argument && (quote == '"' || quote == '\'');
    if (!continues) {
      is_behind_argument = false;
      if (const std::size_t next = next_argument(text, i); next > i) {
        writer.put(text, i, next);
        i = next;
        continue;
      }
    }
    const std::size_t begin = i + 1;
    std::size_t end = begin;
    while (end < text.size() && text[end] != quote && end - begin < kLongest)
      end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
    // The comma, and the next argument.
    std::size_t next = std::min(end + 1, text.size());
    while (next < text.size() && ascii::is_space(text[next]))
      ++next;
    const bool more = next < text.size() && text[next] == ',';
    if (more)
      for (++next; next < text.size() && ascii::is_space(text[next]);)
        ++next;
    const bool is_argument = end < text.size() && text[end] == quote && (more || is_behind_argument);
    is_behind_argument = false;
    if (!is_argument) {
      writer.put(text[i], i);
      ++i;
      continue;
    }
    const std::string_view argument = text.substr(begin, end - begin);
    const bool keeps = argument.empty() || argument.find_first_of(" \t\n") != std::string_view::npos;
    if (keeps) writer.put(quote, i);
    for (std::size_t k = begin; k < end; ++k)
      writer.put(text[k], k);
    if (keeps) writer.put(quote, end);
    writer.mark();
    i = end + 1;
    if (more && next < text.size() && text[next] == quote) {
      writer.put(' ', i);
      is_behind_argument = true;
      i = next;
    }
  }
  writer.end(text.size());
}

}  // namespace memd::redaction
