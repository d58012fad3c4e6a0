#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Tests eight bytes of a text at once, without branches. A result has the high bit of each byte that passes.
namespace memd::eight_bytes {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");

inline constexpr std::uint64_t kHigh = 0x8080808080808080;

constexpr std::uint64_t each(unsigned char byte) { return 0x0101010101010101 * byte; }

// Returns eight bytes of the text from `at` on, the first one lowest, padded with zeros.
inline std::uint64_t eight_at(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
  if (at + sizeof(out) <= text.size())
    std::memcpy(&out, text.data() + at, sizeof(out));
  else if (at < text.size())
    std::memcpy(&out, text.data() + at, text.size() - at);
  return out;
}

// Tests for [first, last]; all bytes must be below 0x80.
constexpr std::uint64_t between(std::uint64_t bytes, unsigned char first, unsigned char last) {
  return (bytes + each(static_cast<unsigned char>(0x80 - first))) &
         ~(bytes + each(static_cast<unsigned char>(0x7F - last))) & kHigh;
}

// Tests for ASCII letters.
constexpr std::uint64_t letters(std::uint64_t eight) {
  return between((eight & ~kHigh) | each(0x20), 'a', 'z') & ~eight;
}

// Tests for ASCII letters and digits.
constexpr std::uint64_t word_bytes(std::uint64_t eight) {
  return letters(eight) | (between(eight & ~kHigh, '0', '9') & ~eight);
}

// Returns how many bytes precede the first that passed; eight if none did.
constexpr std::size_t bytes_before(std::uint64_t passed) {
  return static_cast<std::size_t>(std::countr_zero(passed)) / 8;
}

// Returns the first `count` bytes, at most eight, and zeros.
constexpr std::uint64_t first_bytes(std::uint64_t eight, std::size_t count) {
  return count < sizeof(eight) ? eight & ((std::uint64_t{1} << 8 * count) - 1) : eight;
}

}  // namespace memd::eight_bytes
