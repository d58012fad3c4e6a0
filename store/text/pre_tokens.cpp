#include "store/text/pre_tokens.hpp"

#include "store/text/byte_pairs/letter_ranges.hpp"
#include "store/text/eight_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace memd {
namespace {

struct Decoded {
  std::uint32_t code = 0;  // 0: invalid UTF-8
  std::size_t length = 1;
};

Decoded decode(std::string_view s, std::size_t i) {
  const auto at = [&](std::size_t k) -> std::uint32_t {
    return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0U;
  };
  const auto tail = [&](std::size_t k) { return (at(k) & 0xC0U) == 0x80U; };
  const std::uint32_t b = at(0);
  if (b >= 0xC2 && b < 0xE0 && tail(1)) return {((b & 0x1FU) << 6) | (at(1) & 0x3FU), 2};
  if (b >= 0xE0 && b < 0xF0 && tail(1) && tail(2))
    return {((b & 0x0FU) << 12) | ((at(1) & 0x3FU) << 6) | (at(2) & 0x3FU), 3};
  if (b >= 0xF0 && b < 0xF5 && tail(1) && tail(2) && tail(3))
    return {((b & 0x07U) << 18) | ((at(1) & 0x3FU) << 12) | ((at(2) & 0x3FU) << 6) | (at(3) & 0x3FU), 4};
  return {0, 1};
}

template <std::size_t N>
bool is_in(const unicode::CodeRange (&ranges)[N], std::uint32_t code) {
  const auto* above = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](std::uint32_t c, const unicode::CodeRange& r) { return c < r.first; });
  return above != std::begin(ranges) && code <= std::prev(above)->last;
}

bool is_wide_letter(std::uint32_t code) {
  if ((code >= 0xAC00 && code <= 0xD7A3) || (code >= 0x4E00 && code <= 0x9FFF)) return true;  // the most common ranges
  return is_in(unicode::kLetterRanges, code);
}

bool is_wide_space(std::uint32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace

constexpr std::array<PreTokens::Kind, 256> PreTokens::kinds_of_bytes() {
  std::array<Kind, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || c == '\t' || c == '\v' || c == '\f';
    out[c] = c >= 0x80                ? Kind::wide
             : letter                 ? Kind::letter
             : c >= '0' && c <= '9'   ? Kind::number
             : c == '\n' || c == '\r' ? Kind::newline
             : space                  ? Kind::space
                                      : Kind::sign;
  }
  return out;
}
constexpr std::array<PreTokens::Kind, 256> PreTokens::kKinds = PreTokens::kinds_of_bytes();

PreTokens::Character PreTokens::look_wide(std::size_t at) const {
  const Decoded d = decode(text_, at);
  if (d.code == 0) return {Kind::sign, 1};
  if (is_wide_letter(d.code)) return {Kind::letter, d.length};
  if (is_in(unicode::kNumberRanges, d.code)) return {Kind::number, d.length};
  return {is_wide_space(d.code) ? Kind::space : Kind::sign, d.length};
}

std::size_t PreTokens::end_of(Kind kind, std::size_t at) const {
  while (at < text_.size() && kKinds[static_cast<unsigned char>(text_[at])] == kind)
    ++at;
  for (Character c = look(at); c.length > 0 && c.kind == kind; c = look(at))
    at += c.length;
  return at;
}

// Returns the length of 's, 'll, …; 0 if there is none here.
std::size_t PreTokens::contraction() const {
  const auto lower = [&](std::size_t k) {
    return at_ + k < text_.size() ? static_cast<char>(static_cast<unsigned char>(text_[at_ + k]) | 0x20U) : '\0';
  };
  const char a = lower(1);
  const char b = lower(2);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

// Returns the end of a piece that starts with white space and is not joined to a letter or sign.
std::size_t PreTokens::white_space() const {
  std::size_t end = at_;
  std::size_t last = at_;  // start of the last character
  std::size_t line_end = 0;
  for (Character c = look(end); c.length > 0 && (c.kind == Kind::space || c.kind == Kind::newline); c = look(end)) {
    last = end;
    end += c.length;
    if (c.kind == Kind::newline) line_end = end;
  }
  if (line_end > 0) return line_end;
  return end == text_.size() || last == at_ ? end : last;
}

std::size_t PreTokens::piece_end() const {
  const Character first = look(at_);
  if (first.kind == Kind::letter) return end_of(Kind::letter, at_ + first.length);
  if (text_[at_] == '\'')
    if (const std::size_t n = contraction()) return at_ + n;
  const std::size_t behind = at_ + first.length;
  const Character second = look(behind);
  if (first.kind == Kind::number) {
    std::size_t end = behind;
    for (int i = 0; i < 2; ++i)
      if (const Character c = look(end); c.length > 0 && c.kind == Kind::number) end += c.length;
    return end;
  }
  const bool more = second.length > 0;
  if (more && first.kind != Kind::newline && second.kind == Kind::letter) return end_of(Kind::letter, behind);
  if (first.kind == Kind::sign || (text_[at_] == ' ' && more && second.kind == Kind::sign))
    return end_of(Kind::newline, end_of(Kind::sign, behind));
  return white_space();
}

// Returns the end of an ASCII word with its preceding blank or sign, the most common kind of piece; 0 for anything
// else.
std::size_t PreTokens::plain_word_end() const {
  using namespace eight_bytes;
  const auto kind_at = [&](std::size_t i) { return kKinds[static_cast<unsigned char>(text_[i])]; };
  const Kind first = kind_at(at_);
  std::size_t end = at_ + 1;
  if (first != Kind::letter) {
    const bool joins = first == Kind::space || (first == Kind::sign && text_[at_] != '\'');
    if (!joins || end == text_.size() || kind_at(end) != Kind::letter) return 0;
    ++end;
  }
  for (; end + sizeof(std::uint64_t) <= text_.size(); end += sizeof(std::uint64_t))
    if (const std::uint64_t others = ~letters(eight_at(text_, end)) & kHigh; others != 0) {
      end += bytes_before(others);
      return kind_at(end) == Kind::wide ? 0 : end;
    }
  while (end < text_.size() && kind_at(end) == Kind::letter)
    ++end;
  return end < text_.size() && kind_at(end) == Kind::wide ? 0 : end;
}

std::string_view PreTokens::next() {
  const std::size_t begin = at_;
  const std::size_t end = plain_word_end();
  at_ = end != 0 ? end : piece_end();
  return {text_.data() + begin, at_ - begin};
}

}  // namespace memd
