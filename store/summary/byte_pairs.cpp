#include "store/summary/byte_pairs.hpp"

#include "schemas/embedded.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace memd {
namespace {

constexpr std::size_t kSlots = std::size_t{1} << 17;
// Merging takes the square of it. A longer piece is cut: base64, lines of one character.
constexpr std::size_t kMostMerged = 64;
constexpr std::size_t kLongestToken = 128;  // blanks

using Rank = std::uint32_t;
constexpr Rank kNone = std::numeric_limits<Rank>::max();

static_assert(std::endian::native == std::endian::little, "the table is little-endian");

Rank rank_of(std::string_view token) {
  static const std::byte* const table = embedded::byte_pair_ranks().bytes.data();
  std::uint64_t h = 0xCBF29CE484222325;
  for (const char c : token)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  h ^= h >> 32;
  const auto print = static_cast<std::uint32_t>(h >> 48);
  for (std::size_t at = h % kSlots;; at = (at + 1) % kSlots) {
    std::uint32_t slot = 0;
    std::memcpy(&slot, table + at * sizeof slot, sizeof slot);
    if (slot == 0) return kNone;
    if (slot >> 16 == print) return (slot & 0xFFFFU) - 1;
  }
}

// The pair with the lowest rank becomes one, until no pair has a rank.
std::size_t merge(std::string_view piece) {
  struct Part {
    std::size_t begin = 0;
    Rank rank = kNone;  // of this part and the next together
  };
  std::array<Part, kMostMerged + 1> parts;
  std::size_t n = piece.size();
  const auto rank_at = [&](std::size_t i) {
    if (i + 1 >= n) return kNone;
    const std::size_t end = i + 2 < n ? parts[i + 2].begin : piece.size();
    return rank_of(piece.substr(parts[i].begin, end - parts[i].begin));
  };
  for (std::size_t i = 0; i < n; ++i)
    parts[i].begin = i;
  for (std::size_t i = 0; i < n; ++i)
    parts[i].rank = rank_at(i);
  while (n > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < n; ++i)
      if (parts[i].rank < parts[best].rank) best = i;
    if (parts[best].rank == kNone) break;
    for (std::size_t i = best + 1; i + 1 < n; ++i)
      parts[i] = parts[i + 1];
    --n;
    parts[best].rank = rank_at(best);
    if (best > 0) parts[best - 1].rank = rank_at(best - 1);
  }
  return n;
}

// What pieces came to, for words come again and again: the same words are merged once. One a thread.
class KnownPieces {
 public:
  static constexpr std::size_t kLongest = 16;  // bytes

  // The tokens of a piece of 1 to kLongest bytes.
  template <class Count>
  std::size_t tokens(std::string_view piece, Count&& count) {
    Entry wanted;
    std::memcpy(wanted.bytes.data(), piece.data(), piece.size());
    wanted.length = static_cast<std::uint8_t>(piece.size());
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), wanted.bytes.data(), sizeof words);
    const std::uint64_t hash =
        (words[0] * 0x9E3779B97F4A7C15 + words[1] * 0xC2B2AE3D27D4EB4F + piece.size()) * 0xFF51AFD7ED558CCD;
    Entry& known = entries_[hash >> (64 - kBits)];
    if (known.length != wanted.length || known.bytes != wanted.bytes) {
      wanted.tokens = static_cast<std::uint8_t>(count(piece));
      known = wanted;
    }
    return known.tokens;
  }

 private:
  static constexpr unsigned kBits = 14;
  struct Entry {
    std::array<char, kLongest> bytes{};
    std::uint8_t length = 0;
    std::uint8_t tokens = 0;
  };
  std::array<Entry, std::size_t{1} << kBits> entries_{};
};

std::size_t count_whole_or_merged(std::string_view piece) { return rank_of(piece) != kNone ? 1 : merge(piece); }

}  // namespace

std::size_t count_byte_pairs(std::string_view piece) {
  if (piece.size() <= 1) return piece.size();
  if (piece.size() <= KnownPieces::kLongest) {
    thread_local KnownPieces known;
    return known.tokens(piece, count_whole_or_merged);
  }
  if (piece.size() <= kLongestToken && rank_of(piece) != kNone) return 1;
  std::size_t tokens = 0;
  for (; piece.size() > kMostMerged; piece.remove_prefix(kMostMerged))
    tokens += count_whole_or_merged(piece.substr(0, kMostMerged));
  return tokens + count_whole_or_merged(piece);
}

}  // namespace memd
