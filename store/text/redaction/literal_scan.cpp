#include "store/text/redaction/literal_scan.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/instruction_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <algorithm>
#include <map>
#include <stdexcept>

namespace memd::redaction {
namespace {

using Masks = std::array<std::uint64_t, kMostMasks>;

// Of whole 64 bytes.
void masks_of(const char* s, std::size_t count, Masks& out) {
  for (std::size_t m = 0; m < count; ++m, s += kLettersAtOnce) {
    out[m] = 0;
#ifdef __SSE2__
    constexpr std::size_t kWide = sizeof(__m128i);
    // Signed bytes: what is below the least letter or digit after a shift of the range to the lowest numbers.
    const auto within = [](__m128i bytes, char first, char range) {
      const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(static_cast<char>(first + 0x80)));
      return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(range - 0x80)));
    };
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kLettersAtOnce; i += kWide) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i));
      const __m128i letter = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
      const __m128i digit = within(bytes, '0', 10);
      const auto bits = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(letter, digit)));
      out[m] |= static_cast<std::uint64_t>(bits) << i;
    }
#else
    for (std::size_t i = 0; i < kLettersAtOnce; ++i)
      out[m] |= static_cast<std::uint64_t>(ascii::is_alnum(s[i])) << i;
#endif
  }
}

#if defined(__x86_64__)
MEMD_AVX512_BYTES void masks_of_avx512(const char* s, std::size_t count, Masks& out) {
  for (std::size_t m = 0; m < count; ++m) {
    const __m512i bytes = _mm512_loadu_si512(s + m * kLettersAtOnce);
    const __m512i letters = _mm512_sub_epi8(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), _mm512_set1_epi8('a'));
    const __m512i digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    out[m] =
        _mm512_cmplt_epu8_mask(letters, _mm512_set1_epi8(26)) | _mm512_cmplt_epu8_mask(digits, _mm512_set1_epi8(10));
  }
}
const auto kMasksOf = has_avx512_bytes() ? masks_of_avx512 : masks_of;
#else
constexpr auto kMasksOf = masks_of;
#endif

}  // namespace

std::size_t letters_and_digits(std::string_view text, std::size_t at, Masks& out) {
  const std::string_view rest = text.substr(at);
  if (const std::size_t count = std::min(rest.size() / kLettersAtOnce, kMostMasks); count > 0) {
    kMasksOf(rest.data(), count, out);
    return count;
  }
  std::array<char, kLettersAtOnce> end{};
  std::memcpy(end.data(), rest.data(), rest.size());
  kMasksOf(end.data(), 1, out);
  return 1;
}

bool has_nocase(std::string_view text, std::string_view word) {
  std::size_t at = 0;
#ifdef __SSE2__
  // Places where the first and the last byte are right.
  constexpr std::size_t kWide = sizeof(__m128i);
  const auto bit = _mm_set1_epi8(0x20);
  const auto first = _mm_or_si128(_mm_set1_epi8(word.front()), bit);
  const auto last = _mm_or_si128(_mm_set1_epi8(word.back()), bit);
  const auto bytes_at = [&](std::size_t i) {
    return _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i)), bit);
  };
  for (; at + kWide + word.size() - 1 <= text.size(); at += kWide) {
    const __m128i fit =
        _mm_and_si128(_mm_cmpeq_epi8(bytes_at(at), first), _mm_cmpeq_epi8(bytes_at(at + word.size() - 1), last));
    for (auto places = static_cast<unsigned>(_mm_movemask_epi8(fit)); places != 0; places &= places - 1)
      if (ascii::starts_nocase(text.substr(at + static_cast<std::size_t>(std::countr_zero(places))), word)) return true;
  }
#endif
  return std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return ascii::lower(a) == b; }) != text.end();
}

LiteralScan::LiteralScan(std::vector<Literal> literals, LiteralSieve::Form form)
    : sieve_(form), literals_(std::move(literals)), first_(1U << kSlotBits) {
  std::vector<std::size_t> order(literals_.size());
  std::vector<double> cost(literals_.size());
  for (std::size_t l = 0; l < literals_.size(); ++l) {
    const std::string_view text = literals_[l].text;
    if (text.size() < kShortest) throw std::logic_error("too short to be looked for: " + literals_[l].text);
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
    std::string window(text.substr(offset, LiteralSieve::kWindow));
    if (window.size() == LiteralSieve::kWindow) {
      entries[slot_at(window.data())].push_back(entry);
      continue;
    }
    window.resize(LiteralSieve::kWindow);
    for (int behind = 0; behind < 256; ++behind) {
      window.back() = static_cast<char>(behind);
      auto& list = entries[slot_at(window.data())];
      if (list.empty() || list.back().literal != entry.literal) list.push_back(entry);
    }
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
