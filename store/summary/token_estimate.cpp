#include "store/summary/token_estimate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace memd {
namespace {

// Costs are hundredths of a token. Measured with cl100k over prose, code, JSON, paths and tool output.
using Cost = std::uint64_t;
constexpr Cost kToken = 100;

enum class Kind : std::uint8_t { letter_low, letter_up, digit, space, newline, punct, wide };

constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> t{};
  for (std::size_t c = 0; c < 256; ++c) {
    Kind k = Kind::punct;
    if (c >= 'a' && c <= 'z')
      k = Kind::letter_low;
    else if (c >= 'A' && c <= 'Z')
      k = Kind::letter_up;
    else if (c >= '0' && c <= '9')
      k = Kind::digit;
    else if (c == '\n' || c == '\r')
      k = Kind::newline;
    else if (c == ' ' || c == '\t' || c == '\v' || c == '\f')
      k = Kind::space;
    else if (c >= 0x80)
      k = Kind::wide;
    t[c] = k;
  }
  return t;
}
constexpr auto kKinds = make_kinds();
Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }
bool is_vowel(char c) {
  constexpr std::uint32_t kVowels = 1U << 1 | 1U << 5 | 1U << 9 | 1U << 15 | 1U << 21 | 1U << 25;
  return (kVowels >> (static_cast<unsigned char>(c) & 0x1FU) & 1U) != 0;
}
bool is_letter(Kind k) { return k == Kind::letter_low || k == Kind::letter_up; }

// By length, from 1; a longer word pays the last step for each further letter.
constexpr std::array<std::uint16_t, 15> kLowAfterSpace{100, 100, 101, 101, 102, 104, 105, 110,
                                                       112, 112, 116, 122, 130, 145, 170};
constexpr std::array<std::uint16_t, 15> kLowAlone{100, 103, 106, 110, 122, 136, 136, 145,
                                                  165, 170, 180, 205, 230, 280, 310};
constexpr std::array<std::uint16_t, 15> kLowAfterPunct{102, 112, 120, 138, 148, 190, 170, 192,
                                                       200, 228, 228, 242, 290, 320, 340};
constexpr std::array<std::uint16_t, 15> kCapital{100, 104, 106, 116, 112, 118, 124, 140,
                                                 150, 160, 160, 165, 185, 195, 210};
constexpr std::array<std::uint16_t, 15> kUpper{101, 103, 115, 125, 130, 190, 200, 290,
                                               320, 330, 340, 360, 390, 420, 450};
constexpr std::array<std::uint16_t, 15> kMixed{190, 195, 212, 218, 218, 220, 222, 232,
                                               236, 246, 258, 272, 285, 305, 335};
constexpr std::array<std::uint16_t, 8> kPunct{100, 101, 108, 150, 190, 230, 265, 300};

template <std::size_t N>
Cost by_length(const std::array<std::uint16_t, N>& table, std::size_t n, Cost step) {
  return n <= N ? table[n - 1] : table[N - 1] + (n - N) * step;
}

struct Decoded {
  std::uint32_t code = 0;
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

// A code point beyond ASCII.
Cost wide_cost(std::uint32_t code) {
  if (code == 0) return 2 * kToken;                 // a stray byte becomes U+FFFD
  if (code < 0x250) return 75;                      // accented Latin
  if (code < 0x370) return 150;                     // modifiers, combining marks
  if (code < 0x530) return 72;                      // Greek, Cyrillic
  if (code < 0x2000) return 170;                    // Hebrew … Indic … Georgian
  if (code < 0x2070) return 90;                     // dashes, quotes, ellipsis
  if (code >= 0x2500 && code < 0x2580) return 100;  // box drawing
  if (code < 0x2E80) return 150;                    // arrows, symbols
  if (code < 0x3040) return 105;                    // CJK punctuation
  if (code < 0x3100) return 95;                     // kana
  if (code < 0xAC00) return 118;                    // ideographs
  if (code < 0xD7B0) return 100;                    // Hangul
  if (code >= 0xFF00 && code < 0xFF66) return 105;  // full-width punctuation
  return code < 0x10000 ? 250 : 260;                // private use, emoji
}

bool is_wide_letter(std::uint32_t code) {
  return (code >= 0xC0 && code < 0x250 && code != 0xD7 && code != 0xF7) || (code >= 0x370 && code < 0x2000) ||
         (code >= 0x3040 && code < 0xD7B0);
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : s_(text) {}

  std::size_t position() const { return i_; }
  Cost cost() const { return cost_; }

  // Takes pieces until the text ends or the cost passes `limit`; returns where the last piece within it ended.
  std::size_t run(Cost limit) {
    std::size_t within = 0;
    while (i_ < s_.size()) {
      switch (kind_of(s_[i_])) {
        case Kind::letter_low:
        case Kind::letter_up: word(Before::nothing); break;
        case Kind::digit: digits(); break;
        case Kind::space:
        case Kind::newline: white(); break;
        case Kind::punct: punct(); break;
        case Kind::wide: wide(); break;
      }
      if (cost_ > limit) break;
      within = i_;
    }
    return within;
  }

 private:
  enum class Before { nothing, space, punct };

  void word(Before before) {
    const std::size_t begin = i_;
    std::size_t humps = 0;
    std::size_t uppers = 0;
    std::size_t consonants = 0;
    std::size_t odd = 0;  // letters beyond the third of a run without a vowel: names, hashes, abbreviations
    for (; i_ < s_.size() && is_letter(kind_of(s_[i_])); ++i_) {
      const bool upper = kind_of(s_[i_]) == Kind::letter_up;
      uppers += upper ? 1 : 0;
      consonants = is_vowel(s_[i_]) ? 0 : consonants + 1;
      odd += consonants > 3 ? 1 : 0;
      humps += upper && (i_ == begin || kind_of(s_[i_ - 1]) == Kind::letter_low) ? 1 : 0;
    }
    const std::size_t n = i_ - begin;
    cost_ += odd * 50;
    const bool capital = uppers == 1 && kind_of(s_[begin]) == Kind::letter_up && n > 1;
    if (uppers == 0) {
      cost_ += before == Before::space   ? by_length(kLowAfterSpace, n, 35)
               : before == Before::punct ? by_length(kLowAfterPunct, n, 35)
                                         : by_length(kLowAlone, n, 35);
    } else if (capital) {
      cost_ += by_length(kCapital, n, 30) + (before == Before::punct ? 12 : 0);
    } else if (uppers == n) {
      cost_ += by_length(kUpper, n, 45);
    } else {
      // Humps of one or two letters are no words: base64, hashes.
      cost_ += std::max<Cost>(by_length(kMixed, n, 24), humps * 110);
    }
  }

  // Groups of three.
  void digits() {
    const std::size_t begin = i_;
    while (i_ < s_.size() && kind_of(s_[i_]) == Kind::digit)
      ++i_;
    cost_ += (i_ - begin + 2) / 3 * kToken;
  }

  // Up to the last line end: one token. What follows is one token less the last blank, which joins what comes next
  // unless that is a digit.
  void white() {
    const std::size_t begin = i_;
    std::size_t line_end = begin;
    for (; i_ < s_.size(); ++i_) {
      const Kind k = kind_of(s_[i_]);
      if (k == Kind::newline)
        line_end = i_ + 1;
      else if (k != Kind::space)
        break;
    }
    if (line_end > begin) cost_ += kToken + (line_end - begin) / 16 * kToken;
    const std::size_t blanks = i_ - line_end;
    if (blanks == 0) return;
    const Kind next = i_ < s_.size() ? kind_of(s_[i_]) : Kind::newline;
    const bool joins = is_letter(next) || next == Kind::wide || (next == Kind::punct && s_[i_ - 1] == ' ');
    if (blanks > 1 || !joins) cost_ += kToken + blanks / 80 * kToken;
    if (blanks > 1 && !joins && next == Kind::digit) cost_ += kToken;
    if (is_letter(next)) word(Before::space);
  }

  void punct() {
    const std::size_t begin = i_;
    bool same = true;
    for (; i_ < s_.size() && kind_of(s_[i_]) == Kind::punct; ++i_)
      same = same && s_[i_] == s_[begin];
    const std::size_t n = i_ - begin;
    // A single mark opens the word that follows, unless a blank before it took it.
    if (n == 1 && i_ < s_.size() && is_letter(kind_of(s_[i_])) && (begin == 0 || s_[begin - 1] != ' ')) {
      if (contraction(begin)) return;
      return word(Before::punct);
    }
    cost_ += same && n > 3 ? kToken + n / 16 * kToken + 20 : by_length(kPunct, n, 45);
    while (i_ < s_.size() && kind_of(s_[i_]) == Kind::newline)
      ++i_;
  }

  // 's 't 'll 're … are pieces of their own.
  bool contraction(std::size_t begin) {
    if (s_[begin] != '\'' || begin == 0 || !is_letter(kind_of(s_[begin - 1]))) return false;
    std::size_t end = begin + 1;
    while (end < s_.size() && is_letter(kind_of(s_[end])))
      ++end;
    if (end - begin > 3) return false;
    i_ = end;
    cost_ += kToken;
    return true;
  }

  void wide() {
    std::uint32_t previous = 0;
    std::size_t same = 0;
    while (i_ < s_.size() && kind_of(s_[i_]) == Kind::wide) {
      const Decoded d = decode(s_, i_);
      same = d.code == previous ? same + 1 : 0;
      previous = d.code;
      // A line drawn with one character is cheap.
      cost_ += same > 1 && d.code >= 0x2000 && d.code < 0x3040 ? 25 : wide_cost(d.code);
      i_ += d.length;
      // An accented word goes on in ASCII.
      if (is_wide_letter(d.code) && d.code < 0x250 && i_ < s_.size() && is_letter(kind_of(s_[i_]))) {
        const std::size_t begin = i_;
        while (i_ < s_.size() && is_letter(kind_of(s_[i_])))
          ++i_;
        cost_ += (i_ - begin) * 30;
      }
    }
  }

  std::string_view s_;
  std::size_t i_ = 0;
  Cost cost_ = 0;
};

// The spread of single texts around the mean of their pieces.
constexpr Cost kMarginPercent = 105;

}  // namespace

std::size_t estimate_tokens(std::string_view text) {
  Scanner scanner(text);
  scanner.run(std::numeric_limits<Cost>::max());
  const Cost cost = scanner.cost() * kMarginPercent / 100;
  return static_cast<std::size_t>((cost + kToken - 1) / kToken);
}

std::size_t prefix_within_tokens(std::string_view text, std::size_t tokens) {
  if (tokens >= text.size()) tokens = text.size() * 3;
  Scanner scanner(text);
  std::size_t low = scanner.run(tokens * kToken * 100 / kMarginPercent);
  while (low > 0 && estimate_tokens(text.substr(0, low)) > tokens)
    --low;
  std::size_t high = scanner.position();  // the end of the piece that was too much
  constexpr std::size_t kLongPiece = 64;  // a piece without a border inside, such as base64
  while (high - low > kLongPiece) {
    const std::size_t middle = low + (high - low) / 2;
    (estimate_tokens(text.substr(0, middle)) <= tokens ? low : high) = middle;
  }
  while (low > 0 && low < text.size() && (static_cast<unsigned char>(text[low]) & 0xC0U) == 0x80U)
    --low;
  return low;
}

}  // namespace memd
