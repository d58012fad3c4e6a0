#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memd::redaction {

// Tells in a few instructions for many places of a text at once where one of many literals may stand. Of each literal
// it looks for a window of up to four bytes. The windows are shared out among sixteen buckets; a bucket knows for each
// of the four bytes which may stand there (the scheme is known as Teddy, of Hyperscan). A byte is its lowest five bits:
// letters of both cases are alike, and signs fall together with letters. Two places of a hundred are left of what
// agents write. Constant after the last add(); then every thread may ask.
class LiteralSieve {
 public:
  static constexpr std::size_t kWindow = 4;   // bytes
  static constexpr std::size_t kAtOnce = 64;  // places
  static constexpr std::size_t kMost = 2048;
  using Places = std::array<std::uint16_t, kMost + kAtOnce>;

  // How find() is written: without vectors, with vectors of 16 bytes (SSSE3 or NEON), or of 32 (AVX2). All of them find
  // the same.
  enum class Form : std::uint8_t { portable, vectors_of_16, avx2 };
  // Those that this processor runs, the fastest last.
  static std::span<const Form> forms();

  // `form` is one of forms().
  explicit LiteralSieve(Form form = forms().back());

  // Takes a literal (not empty) in, and returns where its window begins in it: where it is expected to cost least. The
  // literals that cost most should come first.
  std::size_t add(std::string_view literal);

  // Writes each i below `n` for which a window may begin at s + i, in order, and returns how many there are. `n` is a
  // multiple of kAtOnce, kMost at most. Reads three bytes behind s + n.
  std::size_t find(const char* s, std::size_t n, Places& out) const { return kernel_(*this, s, n, out); }

  // How often the bytes are likely to stand in what agents write; greater is oftener.
  static double likelihood(std::string_view bytes);

 private:
  static constexpr std::size_t kClasses = 32;
  static constexpr std::size_t kBuckets = 16;
  using Kernel = std::size_t (*)(const LiteralSieve&, const char*, std::size_t, Places&);
  static std::size_t portable(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);
  static std::size_t vectors_of_16(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);
  static std::size_t avx2(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out);

  // By half of the buckets, byte of the window and class of a byte: the buckets in which it may stand there, a bit
  // each.
  std::array<std::array<std::array<std::uint8_t, kClasses>, kWindow>, kBuckets / 8> may_stand_{};
  std::array<std::array<double, kWindow>, kBuckets> share_{};  // of all bytes, those that may stand there
  Kernel kernel_;
};

}  // namespace memd::redaction
