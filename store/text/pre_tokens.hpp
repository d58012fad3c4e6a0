#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memd {

// Splits text (UTF-8) into the pieces that cl100k encodes one by one:
//
//   's|'t|'re|'ve|'m|'ll|'d  |  [^\r\n\p{L}\p{N}]?\p{L}+  |  \p{N}{1,3}  |  ?[^\s\p{L}\p{N}]+[\r\n]*
//   |  \s*[\r\n]+  |  \s+(?!\S)  |  \s+
//
// An invalid UTF-8 byte counts as a sign. O(n) over all pieces, no allocation. The text must outlive it. One thread.
class PreTokens {
 public:
  explicit PreTokens(std::string_view text) : text_(text) {}

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  std::string_view next();  // must not be called at the end

 private:
  enum class Kind : std::uint8_t { letter, number, newline, space, sign, wide };
  struct Character {
    Kind kind = Kind::sign;
    std::size_t length = 0;  // 0: past the end
  };

  static constexpr std::array<Kind, 256> kinds_of_bytes();
  static const std::array<Kind, 256> kKinds;  // wide: decided by the rest of the character

  Character look(std::size_t at) const {
    if (at >= text_.size()) return {Kind::sign, 0};
    const Kind kind = kKinds[static_cast<unsigned char>(text_[at])];
    return kind == Kind::wide ? look_wide(at) : Character{kind, 1};
  }
  Character look_wide(std::size_t at) const;
  std::size_t end_of(Kind kind, std::size_t at) const;
  std::size_t contraction() const;
  std::size_t white_space() const;
  std::size_t plain_word_end() const;
  std::size_t piece_end() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace memd
