#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// Finds many words in one pass over a text. It looks at three bytes at every second place: whether they may belong to a
// word is a bit in a table that stays in the first cache. Constant after construction; every thread may ask.
class LiteralScan {
 public:
  struct Literal {
    std::string text;  // three bytes at least; in small letters with `any_case`
    bool any_case = false;
    // What may follow, if not anything; asked only where it makes the search faster.
    std::optional<std::bitset<256>> followed_by;
  };
  // Throws std::logic_error where a literal is too short.
  explicit LiteralScan(std::vector<Literal> literals);

  // found(begin, index of the literal), for each place where one stands; in order of the bytes that showed them.
  template <class F>
  void each(std::string_view text, F&& found) const {
    const char* s = text.data();
    const std::size_t n = text.size();
    std::size_t i = 0;
    const auto look = [&](std::uint32_t bytes, std::size_t at) {
      const std::uint32_t slot = slot_of(bytes);
      if (bit(slot) != 0) [[unlikely]]
        at_slot(text, at, slot, found);
    };
    for (; i + 12 <= n; i += 8) {
      std::uint64_t low = 0;
      std::uint32_t high = 0;
      std::memcpy(&low, s + i, sizeof low);
      std::memcpy(&high, s + i + 6, sizeof high);
      low |= 0x2020'2020'2020'2020U;
      look(static_cast<std::uint32_t>(low), i);
      look(static_cast<std::uint32_t>(low >> 16), i + 2);
      look(static_cast<std::uint32_t>(low >> 32), i + 4);
      look(high | 0x202020U, i + 6);
    }
    for (; i + 2 <= n; i += 2) {
      std::uint32_t three = 0;
      std::memcpy(&three, s + i, n - i < 3 ? 2 : 3);
      look(three | 0x202020U, i);
    }
  }

 private:
  struct Entry {
    std::uint16_t literal = 0;
    std::uint8_t offset = 0;  // of the three bytes in the literal
    bool last = false;        // of its slot
  };
  static constexpr unsigned kSlotBits = 17;
  // Of the lowest three bytes, each with its bit 0x20 set: capital and small letters fall together, and so do a few
  // signs.
  static std::uint32_t slot_of(std::uint32_t bytes) {
    constexpr std::uint32_t kFactor = 0x9E3779B1U << 8;  // drops the fourth
    return bytes * kFactor >> (32 - kSlotBits);
  }
  std::uint32_t bit(std::uint32_t slot) const { return (bits_[slot >> 5] >> (slot & 31)) & 1U; }
  bool stands_at(std::string_view text, std::size_t at, const Literal& literal) const;

  template <class F>
  [[gnu::noinline]] void at_slot(std::string_view text, std::size_t at, std::uint32_t slot, F& found) const {
    for (std::size_t e = first_[slot];; ++e) {
      const Entry entry = entries_[e];
      if (entry.offset <= at && stands_at(text, at - entry.offset, literals_[entry.literal]))
        found(at - entry.offset, static_cast<std::size_t>(entry.literal));
      if (entry.last) break;
    }
  }

  std::vector<Literal> literals_;
  std::array<std::uint32_t, (1U << kSlotBits) / 32> bits_{};
  std::vector<std::uint16_t> first_;  // by the slot: its first entry
  std::vector<Entry> entries_;
};

// found(begin, end) for each run of `least` or more bytes that belong. Looks at few of the others: a byte that does not
// belong rules out all windows that it is in.
template <class F>
void each_long_run(std::string_view text, std::size_t least, const std::array<bool, 256>& belongs, F&& found) {
  const auto in = [&](std::size_t i) { return belongs[static_cast<unsigned char>(text[i])]; };
  for (std::size_t begin = 0; begin + least <= text.size();) {
    std::size_t last = begin + least;
    while (last > begin && in(last - 1))
      --last;
    if (last > begin) {
      begin = last;
      continue;
    }
    std::size_t end = begin + least;
    while (end < text.size() && in(end))
      ++end;
    found(begin, end);
    begin = end + 1;
  }
}

}  // namespace memd::redaction
