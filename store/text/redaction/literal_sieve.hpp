#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memd::redaction {

// Finds candidate places for many literals, many places of a text at a time in a few instructions. It searches for a
// window of up to four bytes of each literal. The windows are distributed over sixteen buckets; each bucket has, for
// each of the four bytes, the set of possible values (the scheme of Hyperscan's Teddy). Only the lowest five bits of a
// byte count, so upper and lower case are equal, and other characters collide with letters. About 2% of the places in
// agents' logs remain. Constant after the last add(), then thread-safe.
class LiteralSieve {
 public:
  static constexpr std::size_t kWindow = 4;   // bytes
  static constexpr std::size_t kAtOnce = 64;  // places
  static constexpr std::size_t kMost = 2048;
  using Places = std::array<std::uint16_t, kMost + kAtOnce>;

  // Implementations of find(): without vectors, with vectors of 16 bytes (SSSE3 or NEON), of 32 (AVX2), or of 64
  // (AVX-512 with VBMI2). All have the same results.
  enum class Form : std::uint8_t { portable, vectors_of_16, avx2, avx512 };
  // Returns the forms that this processor supports, the fastest last.
  static std::span<const Form> forms();

  // `form` is one of forms().
  explicit LiteralSieve(Form form = forms().back());

  // Adds a literal (not empty). Returns the offset of its window, chosen for the least expected cost. The most
  // expensive literals should be added first.
  std::size_t add(std::string_view literal);

  // Writes each i below `n` for which a window may begin at s + i, in order. Returns their number. `n` is a multiple of
  // kAtOnce and at most kMost. Reads up to three bytes after s + n.
  std::size_t find(const char* s, std::size_t n, Places& out) const { return kernel_(*this, s, n, out); }

  // Returns the estimated relative frequency of the bytes in agents' logs.
  static double likelihood(std::string_view bytes);

 private:
  static constexpr std::size_t kClasses = 32;
  static constexpr std::size_t kBuckets = 16;
  using Kernel = std::size_t (*)(const LiteralSieve&, const char*, std::size_t, Places&);
  static std::size_t portable(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);
  static std::size_t vectors_of_16(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);
  static std::size_t avx2(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);
  static std::size_t avx512(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);

  // By half of the buckets, byte of the window and class of a byte: the buckets that allow it there, one bit each.
  std::array<std::array<std::array<std::uint8_t, kClasses>, kWindow>, kBuckets / 8> may_stand_{};
  std::array<std::array<double, kWindow>, kBuckets> share_{};  // share of all bytes that are allowed there
  Kernel kernel_;
};

}  // namespace memd::redaction
