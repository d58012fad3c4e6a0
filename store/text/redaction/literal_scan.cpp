#include "store/text/redaction/literal_scan.hpp"

#include "schemas/ascii.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <map>
#include <stdexcept>

namespace memd::redaction {
std::uint64_t letters_and_digits(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
#ifdef __SSE2__
  std::array<char, kLettersAtOnce> rest;
  const char* s = text.data() + at;
  if (text.size() - at < kLettersAtOnce) {
    rest.fill(0);
    std::memcpy(rest.data(), s, text.size() - at);
    s = rest.data();
  }
  constexpr std::size_t kWide = sizeof(__m128i);
  // Signed bytes: what is below the least letter or digit after a shift of the range to the lowest numbers.
  const auto within = [](__m128i bytes, char first, char count) {
    const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(static_cast<char>(first + 0x80)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(count - 0x80)));
  };
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kLettersAtOnce; i += kWide) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i));
    const __m128i letter = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    const __m128i digit = within(bytes, '0', 10);
    const auto bits = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(letter, digit)));
    out |= static_cast<std::uint64_t>(bits) << i;
  }
#else
  const std::size_t length = std::min(kLettersAtOnce, text.size() - at);
  for (std::size_t i = 0; i < length; ++i)
    out |= static_cast<std::uint64_t>(ascii::is_alnum(text[at + i])) << i;
#endif
  return out;
}

LiteralScan::LiteralScan(std::vector<Literal> literals, LiteralSieve::Form form)
    : sieve_(form), literals_(std::move(literals)), first_(1U << kSlotBits) {
  std::vector<std::size_t> order(literals_.size());
  std::vector<double> cost(literals_.size());
  for (std::size_t l = 0; l < literals_.size(); ++l) {
    const std::string_view text = literals_[l].text;
    if (text.size() < kHashed) throw std::logic_error("too short to be looked for: " + literals_[l].text);
    order[l] = l;
    cost[l] = 1;
    for (std::size_t i = 0; i == 0 || i + LiteralSieve::kWindow <= text.size(); ++i)
      cost[l] = std::min(cost[l], LiteralSieve::likelihood(text.substr(i, LiteralSieve::kWindow)));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost[a] > cost[b]; });
  std::map<std::uint32_t, std::vector<Entry>> entries;
  for (const std::size_t l : order) {
    // An entry tells how far its window stands behind the begin.
    const std::string_view text = std::string_view(literals_[l].text).substr(0, kLongest);
    const std::size_t offset = sieve_.add(text);
    Entry entry;
    const std::size_t length = std::min(text.size(), sizeof entry.head);
    std::memcpy(&entry.head, text.data(), length);
    entry.head_mask = ~std::uint64_t{0} >> 8 * (sizeof entry.head - length);
    entry.head = (entry.head | kCaseBits) & entry.head_mask;
    entry.literal = static_cast<std::uint16_t>(l);
    entry.offset = static_cast<std::uint8_t>(offset);
    entries[slot_at(text.data() + offset)].push_back(entry);
  }
  for (auto& [slot, list] : entries) {
    bits_[slot >> 5] |= 1U << (slot & 31);
    first_[slot] = static_cast<std::uint16_t>(entries_.size());
    list.back().last = true;
    entries_.insert(entries_.end(), list.begin(), list.end());
  }
}

std::size_t LiteralScan::known_places(const char* s, std::size_t n, LiteralSieve::Places& out) const {
  const std::size_t places = sieve_.find(s, n, out);
  std::size_t known = 0;
  for (std::size_t i = 0; i < places; ++i) {
    const std::uint16_t place = out[i];
    out[known] = place;
    known += bit(slot_at(s + place));
  }
  return known;
}

bool LiteralScan::stands_at(std::string_view text, std::size_t at, const Literal& literal) const {
  const std::string& l = literal.text;
  if (text.size() - at < l.size()) return false;
  const char* s = text.data() + at;
  if (!literal.any_case) return std::memcmp(s, l.data(), l.size()) == 0;
  for (std::size_t i = 0; i < l.size(); ++i)
    if (ascii::lower(s[i]) != l[i]) return false;
  return true;
}

}  // namespace memd::redaction
