#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace memd::redaction {

inline constexpr std::size_t kCharClasses = 21;  // of secret patterns

// Remembers how far a text was examined for the end of a value, by kind of value. Many signs may share one end, such as
// the names in "a_token=b_token=…": each examines only what the signs before it have not. One for each search of one
// text; not thread-safe.
class LookAhead {
 public:
  // Kinds of values. What ends a value depends only on its kind and the place.
  static constexpr std::size_t kWord = 0;          // of a telling name
  static constexpr std::size_t kDoubleQuoted = 1;  // ends at the quote or at the end of the line
  static constexpr std::size_t kSingleQuoted = 2;
  static constexpr std::size_t kFirstClass = 3;  // plus the number of a class: a run of its characters

  // Returns the first place at or after `from` at which a value ends, at most `most` (not below `from`). ends_at(i)
  // says whether a value of this kind ends before byte i.
  template <class F>
  std::size_t end_of(std::size_t kind, std::size_t from, std::size_t most, F&& ends_at) {
    Stretch& s = stretches_[kind];
    if (from < s.begin) {
      const std::size_t behind = std::min(s.begin, most);
      std::size_t at = from;
      while (at < behind && !ends_at(at))
        ++at;
      looked_at_ += at - from;
      if (at < s.begin) s.end = at;
      s.begin = from;
    } else if (from > s.end) {
      s = {from, from};
    }
    const std::size_t known = s.end;
    while (s.end < most && !ends_at(s.end))
      ++s.end;
    looked_at_ += s.end - known;
    return std::min(s.end, most);
  }

  // Returns the first byte of the value that contains all bytes before `to`, at least `least` (not above `to`).
  template <class F>
  std::size_t begin_of(std::size_t kind, std::size_t to, std::size_t least, F&& ends_at) {
    Stretch& s = stretches_[kind];
    if (to > s.end) {
      const std::size_t before = std::max(s.end, least);
      std::size_t at = to;
      while (at > before && !ends_at(at - 1))
        --at;
      looked_at_ += to - at;
      if (at > s.end) s.begin = at;
      s.end = to;
    } else if (to < s.begin) {
      s = {to, to};
    }
    const std::size_t known = s.begin;
    while (s.begin > least && !ends_at(s.begin - 1))
      --s.begin;
    looked_at_ += known - s.begin;
    return std::max(s.begin, least);
  }

  // Number of bytes examined, each at most once for each kind unless signs go back.
  std::size_t looked_at() const { return looked_at_; }

 private:
  // Bytes at which no value ends.
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::array<Stretch, kFirstClass + kCharClasses> stretches_{};
  std::size_t looked_at_ = 0;
};

}  // namespace memd::redaction
