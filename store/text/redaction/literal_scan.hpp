#pragma once

#include "store/text/redaction/literal_sieve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// For 64 bytes a mask. Bit i: byte i is an ASCII letter or digit. Bits after the end of the text are 0.
inline constexpr std::size_t kLettersAtOnce = 64;
inline constexpr std::size_t kMostMasks = 32;
// Writes those of the text from `at` (a multiple of 64) on, at most kMostMasks. Returns their number.
std::size_t letters_and_digits(std::string_view text, std::size_t at, std::array<std::uint64_t, kMostMasks>& out);

// Returns whether the text has a word (not empty, in lower case) in any letter case.
bool has_nocase(std::string_view text, std::string_view word);

// Finds many literals in one pass over a text. A sieve selects candidate places. Four bytes of each are looked up in a
// table that fits the L1 cache, and the literals found there are compared. Constant after construction; thread-safe.
class LiteralScan {
 public:
  struct Literal {
    std::string text;  // at least three bytes; lower case with `any_case`
    bool any_case = false;
  };
  // Throws std::logic_error if a literal is too short.
  explicit LiteralScan(std::vector<Literal> literals, LiteralSieve::Form form = LiteralSieve::forms().back());

  // Calls found(begin, index of the literal) for each occurrence, in the order of their windows.
  template <class F>
  void each(std::string_view text, F&& found) const {
    constexpr std::size_t kBehind = LiteralSieve::kWindow - 1;
    constexpr std::size_t kAtOnce = LiteralSieve::kAtOnce;
    LiteralSieve::Places places;
    const auto look = [&](const char* s, std::size_t n, std::size_t at) {
      const std::size_t count = known_places(s, n, places);
      for (std::size_t i = 0; i < count && at + places[i] < text.size(); ++i)
        at_place(text, at + places[i], slot_at(s + places[i]), found);
    };
    std::size_t at = 0;
    while (text.size() - at >= kAtOnce + kBehind) {
      const std::size_t n = std::min((text.size() - at - kBehind) / kAtOnce * kAtOnce, LiteralSieve::kMost);
      look(text.data() + at, n, at);
      at += n;
    }
    // The end, with zeros behind it.
    std::array<char, 2 * kAtOnce + kBehind> end{};
    std::memcpy(end.data(), text.data() + at, text.size() - at);
    look(end.data(), text.size() - at > kAtOnce ? 2 * kAtOnce : kAtOnce, at);
  }

 private:
  struct Entry {
    // The literal's first eight bytes, each with bit 0x20 set, and a mask of those it has. They reject most literals
    // that only share a slot.
    std::uint64_t head = 0;
    std::uint64_t head_mask = 0;
    std::uint16_t literal = 0;
    std::uint8_t offset = 0;  // of the window in the literal
    bool last = false;        // the last entry of its slot
  };
  static constexpr unsigned kSlotBits = 17;
  static constexpr std::uint64_t kCaseBits = 0x2020'2020'2020'2020U;
  static constexpr std::size_t kShortest = 3;
  static constexpr std::size_t kLongest = 200;  // bytes of a literal in which its window is chosen
  // Returns the slot of four bytes, each with bit 0x20 set, so that upper and lower case are equal, as are a few other
  // characters. A literal of three bytes is in the slots of all that may follow it.
  static std::uint32_t slot_at(const char* s) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, s, sizeof bytes);
    return ((bytes | 0x20202020U) * 0x9E3779B1U) >> (32 - kSlotBits);
  }
  std::uint32_t bit(std::uint32_t slot) const { return (bits_[slot >> 5] >> (slot & 31)) & 1U; }
  bool stands_at(std::string_view text, std::size_t at, const Literal& literal) const;

  // Like LiteralSieve::find(), but keeps only the places whose slot has entries.
  std::size_t known_places(const char* s, std::size_t n, LiteralSieve::Places& out) const;

  template <class F>
  void at_place(std::string_view text, std::size_t at, std::uint32_t slot, F& found) const {
    for (std::size_t e = first_[slot];; ++e) {
      const Entry& entry = entries_[e];
      if (entry.offset <= at && may_begin(text, at - entry.offset, entry) &&
          stands_at(text, at - entry.offset, literals_[entry.literal]))
        found(at - entry.offset, static_cast<std::size_t>(entry.literal));
      if (entry.last) break;
    }
  }
  static bool may_begin(std::string_view text, std::size_t at, const Entry& entry) {
    std::uint64_t bytes = 0;
    if (text.size() - at < sizeof bytes) return true;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    return ((bytes | kCaseBits) & entry.head_mask) == entry.head;
  }

  LiteralSieve sieve_;
  std::vector<Literal> literals_;
  std::array<std::uint32_t, (1U << kSlotBits) / 32> bits_{};
  std::vector<std::uint16_t> first_;  // by slot: index of its first entry
  std::vector<Entry> entries_;
};

// Returns a mask. Bit i: the kLength bits from i on are set.
template <std::size_t kLength>
constexpr std::uint64_t places_of_runs(std::uint64_t bits) {
  if constexpr (kLength > 1) {
    constexpr std::size_t kShorter = (kLength + 1) / 2;
    const std::uint64_t runs = places_of_runs<kShorter>(bits);
    return runs & runs >> (kLength - kShorter);
  }
  return bits;
}

// Calls found(begin, end) for each run of at least kLeast (2 to 64) ASCII letters and digits. Processes 64 bytes at a
// time.
template <std::size_t kLeast, class F>
void each_long_run(std::string_view text, F&& found) {
  std::array<std::uint64_t, kMostMasks> masks;
  std::size_t known = 0;
  std::size_t next = 0;
  std::size_t run = 0;  // number of letters and digits just before `at`
  for (std::size_t at = 0; at < text.size(); at += kLettersAtOnce) {
    if (next == known) known = letters_and_digits(text, at, masks), next = 0;
    const std::uint64_t letters = masks[next++];
    const auto leading = static_cast<std::size_t>(std::countr_one(letters));
    if (leading == kLettersAtOnce) {
      run += kLettersAtOnce;
      continue;
    }
    if (run + leading >= kLeast) found(at - run, at + leading);
    // Runs after the first other byte.
    std::uint64_t long_runs = places_of_runs<kLeast>(letters & (~std::uint64_t{0} << leading));
    while (long_runs != 0) {
      const auto begin = static_cast<std::size_t>(std::countr_zero(long_runs));
      const std::size_t length = static_cast<std::size_t>(std::countr_one(letters >> begin));
      if (begin + length == kLettersAtOnce) break;  // continues in the next 64 bytes
      found(at + begin, at + begin + length);
      long_runs &= ~std::uint64_t{0} << (begin + length);
    }
    run = static_cast<std::size_t>(std::countl_one(letters));
  }
  if (run >= kLeast) found(text.size() - run, text.size());
}

}  // namespace memd::redaction
