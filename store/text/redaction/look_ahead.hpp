#pragma once

#include "store/text/redaction/value_counts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace memd::redaction {

inline constexpr std::size_t kCharClasses = 21;  // of secret patterns

// What a search remembers of the values in its text. Many signs may have values that overlap or share their end, such
// as the names in "a_token=b_token=…": of each value, only those bytes are examined that the values before it did not
// have. One for each search of one text; not thread-safe.
class LookAhead {
 public:
  explicit LookAhead(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }

  // What is looked for: ends of values by their kind, and characters of values. It depends only on the place.
  enum Kind : std::uint8_t {
    kWord,          // end of the value of a sensitive name
    kDoubleQuoted,  // the quote or the end of the line
    kSingleQuoted,
    kHeader,  // end of the value of an HTTP header
    kCookie,
    kDigit,
    kLetterOrDigit,
    kSymbol,     // of passwords
    kOfCode,     // punctuation of code
    kNotOfName,  // what headers without a secret do not have
    kDot,
    kSlash,
    kGreater,
    kScheme,     // "://"
    kTwoColons,  // "::"
    kArrow,      // "->"
    kBare,       // the end of a token that nothing names
    kBase64,
    kFirstClass,  // plus the number of a class: the end of a run of its characters
  };

  // Returns the first place at or after `from` at which a value ends, at most `most` (not below `from`). ends_at(i)
  // says whether a value of this kind ends before byte i.
  template <class F>
  std::size_t end_of(std::size_t kind, std::size_t from, std::size_t most, F&& ends_at) {
    Stretch& s = stretches_[kind];
    std::size_t at = from;
    if (from < s.begin) {
      const std::size_t behind = std::min(s.begin, most);
      while (at < behind && !ends_at(at))
        ++at;
      looked_at_ += at - from;
      if (at < s.begin) s.end = at;
      s.begin = from;
    } else if (from > s.end) {
      s = {from, from};
    }
    const std::size_t known = s.end;
    if (known >= most) return most;
    at = known;
    while (at < most && !ends_at(at))
      ++at;
    looked_at_ += at - known;
    s.end = at;
    return at;
  }

  // Returns the first byte of the value that contains all bytes before `to`, at least `least` (not above `to`).
  template <class F>
  std::size_t begin_of(std::size_t kind, std::size_t to, std::size_t least, F&& ends_at) {
    Stretch& s = stretches_[kind];
    std::size_t at = to;
    if (to > s.end) {
      const std::size_t before = std::max(s.end, least);
      while (at > before && !ends_at(at - 1))
        --at;
      looked_at_ += to - at;
      if (at > s.end) s.begin = at;
      s.end = to;
    } else if (to < s.begin) {
      // Patterns look back from a sign and then ahead from behind it.
      std::size_t joined = to;
      if (s.begin - to <= kNear)
        while (joined < s.begin && !ends_at(joined))
          ++joined;
      looked_at_ += joined - to;
      if (joined < s.begin) s.end = to;
      s.begin = to;
    }
    const std::size_t known = s.begin;
    if (known <= least) return least;
    at = known;
    while (at > least && !ends_at(at - 1))
      --at;
    looked_at_ += known - at;
    s.begin = at;
    return at;
  }

  // Returns whether is(i) holds for a byte i of the value, without its last `but` bytes. `value` is a part of the text.
  template <class F>
  bool any(std::size_t kind, std::string_view value, F&& is, std::size_t but = 0) {
    if (value.size() <= but) return false;
    const std::size_t from = place_of(value);
    const std::size_t most = from + value.size() - but;
    return end_of(kind, from, most, is) < most;
  }
  bool any_digit(std::string_view value);

  // Like the functions of the same names, for a part of the text.
  Shape shape_of(std::string_view value);
  double wordiness(std::string_view value);
  double entropy(std::string_view value);

  // Number of bytes examined, each at most once for each kind unless values go back.
  std::size_t looked_at() const { return looked_at_; }

 private:
  // Bytes at which no value ends.
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  static constexpr std::size_t kNear = 64;  // bytes between two stretches that may be one
  // Values that are shorter are counted each by itself.
  static constexpr std::size_t kLong = 256;  // bytes
  // Overlapping values that end at different places, such as those of a header and of a name in it, have counts of
  // their own.
  static constexpr std::size_t kMostCounts = 4;

  std::size_t place_of(std::string_view value) const { return static_cast<std::size_t>(value.data() - text_.data()); }
  const ValueCounts& counts_of(std::string_view value);

  std::string_view text_;
  std::array<Stretch, kFirstClass + kCharClasses> stretches_{};
  std::array<std::unique_ptr<ValueCounts>, kMostCounts> counts_;  // the last used first
  std::size_t looked_at_ = 0;
};

}  // namespace memd::redaction
