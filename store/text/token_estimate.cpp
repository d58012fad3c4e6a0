#include "store/text/token_estimate.hpp"

#include "schemas/embedded.hpp"
#include "schemas/hash.hpp"
#include "store/text/pre_tokens.hpp"
#include "store/text/text_units.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace memd {
namespace {

// Pieces are counted until the text ends or there are more than `limit` tokens.
struct Counted {
  std::size_t tokens = 0;
  std::size_t position = 0;  // where counting ended
  TokenPrefix within;        // before the piece that passed the limit
};

Counted count(std::string_view text, std::size_t limit) {
  Counted out;
  PreTokens pieces(text);
  while (!pieces.at_end()) {
    out.tokens += count_byte_pairs(pieces.next());
    out.position = pieces.position();
    if (out.tokens > limit) break;
    out.within = {out.position, out.tokens};
  }
  return out;
}

// More of a long piece than nothing: `whole` pieces of it fit.
TokenPrefix cut_inside_piece(std::string_view text, std::size_t tokens, TokenPrefix whole, std::size_t piece_end) {
  constexpr std::size_t kLongPiece = 64;  // without a border inside, such as base64
  const auto with = [&](std::size_t end) {
    return whole.tokens + estimate_tokens(text.substr(whole.bytes, end - whole.bytes));
  };
  std::size_t low = whole.bytes;
  for (std::size_t high = piece_end; high - low > kLongPiece;) {
    const std::size_t middle = low + (high - low) / 2;
    (with(middle) <= tokens ? low : high) = middle;
  }
  while (low > 0 && is_utf8_tail(text, low))
    --low;
  if (low == whole.bytes) return whole;
  // Where there is no border, the pieces before can be others, too.
  std::size_t counted = estimate_tokens(text.substr(0, low));
  while (low > 0 && (counted > tokens || is_utf8_tail(text, low)))
    counted = estimate_tokens(text.substr(0, --low));
  return {low, counted};
}

}  // namespace

std::size_t estimate_tokens(std::string_view text) {
  return count(text, std::numeric_limits<std::size_t>::max()).tokens;
}

TokenPrefix prefix_within_tokens(std::string_view text, std::size_t tokens) {
  const Counted counted = count(text, tokens);
  if (counted.tokens <= tokens) return counted.within;
  return cut_inside_piece(text, tokens, counted.within, counted.position);
}

namespace {

constexpr std::size_t kSlots = std::size_t{1} << 17;
// Merging takes the square of it. A longer piece is cut: base64, lines of one character. A byte counts them.
constexpr std::size_t kMostMerged = 64;
constexpr std::size_t kLongestToken = 128;  // blanks

using Rank = std::uint32_t;
constexpr Rank kNone = std::numeric_limits<Rank>::max();

static_assert(std::endian::native == std::endian::little, "the table is little-endian");

// FNV-1a: the hash of two parts together goes on from that of the first.
constexpr std::uint64_t kEmptyHash = 0xCBF29CE484222325;
std::uint64_t extend(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

Rank rank_with(std::uint64_t hash) {
  static const std::byte* const table = embedded::byte_pair_ranks().bytes.data();
  hash ^= hash >> 32;
  const auto print = static_cast<std::uint32_t>(hash >> 48);
  for (std::size_t at = hash % kSlots;; at = (at + 1) % kSlots) {
    std::uint32_t slot = 0;
    std::memcpy(&slot, table + at * sizeof slot, sizeof slot);
    if (slot == 0) return kNone;
    if (slot >> 16 == print) return (slot & 0xFFFFU) - 1;
  }
}

Rank rank_of(std::string_view token) { return rank_with(extend(kEmptyHash, token)); }

// Of at most kMostMerged bytes: the pair with the lowest rank becomes one, the first of those with the same, until no
// pair has a rank. A part is called by where it begins.
class Merging {
 public:
  explicit Merging(std::string_view piece) : piece_(piece) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      next_[i] = static_cast<std::uint8_t>(i + 1);
      before_[i + 1] = static_cast<std::uint8_t>(i);
      hash_[i] = extend(kEmptyHash, piece.substr(i, 1));
    }
    for (std::size_t i = 0; i < piece.size(); ++i)
      look_at_pair(i);
  }

  std::size_t run() {
    std::size_t parts = piece_.size();
    for (Pair best = lowest(); best != kNone; best = lowest()) {
      const std::size_t first = best & 0xFFU;
      const std::size_t second = next_[first];
      next_[first] = next_[second];
      before_[next_[first]] = static_cast<std::uint8_t>(first);
      hash_[first] = pair_hash_[first];
      pairs_[second] = kNone;
      --parts;
      look_at_pair(first);
      if (first > 0) look_at_pair(before_[first]);
    }
    return parts;
  }

 private:
  // Rank and, in the low byte, the part of a pair: the lowest is the one to merge.
  using Pair = std::uint32_t;

  Pair lowest() const {
    Pair best = kNone;
    for (std::size_t i = 0; i < piece_.size(); ++i)
      best = pairs_[i] < best ? pairs_[i] : best;
    return best;
  }

  // The part that begins at `i`, together with the next.
  void look_at_pair(std::size_t i) {
    const std::size_t second = next_[i];
    pairs_[i] = kNone;
    if (second == piece_.size()) return;
    pair_hash_[i] = extend(hash_[i], piece_.substr(second, next_[second] - second));
    if (const Rank rank = rank_with(pair_hash_[i]); rank != kNone) pairs_[i] = rank << 8 | static_cast<Pair>(i);
  }

  std::string_view piece_;
  std::array<std::uint64_t, kMostMerged> hash_;
  std::array<std::uint64_t, kMostMerged> pair_hash_;
  std::array<Pair, kMostMerged> pairs_;
  std::array<std::uint8_t, kMostMerged + 1> next_;
  std::array<std::uint8_t, kMostMerged + 1> before_;
};

// What pieces came to, for words come again and again: the same words are merged once. All threads share it; an entry
// is one word of memory, the hash of the piece with the tokens in its low byte.
class KnownPieces {
 public:
  // The tokens of a piece of at most kMostMerged bytes. Mistakes another piece for it once in 2^40 times.
  template <class Count>
  std::size_t tokens(std::string_view piece, Count&& count) {
    const std::uint64_t hash = hash64(piece);
    std::atomic<std::uint64_t>& entry = entries_[hash >> (64 - kBits)];
    const std::uint64_t known = entry.load(std::memory_order_relaxed);
    if (known >> 8 == hash >> 8 && (known & 0xFFU) != 0) return known & 0xFFU;
    const std::size_t tokens = count(piece);
    entry.store((hash & ~std::uint64_t{0xFF}) | tokens, std::memory_order_relaxed);
    return tokens;
  }

 private:
  static constexpr unsigned kBits = 16;
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << kBits> entries_{};
};

std::size_t count_whole_or_merged(std::string_view piece) { return rank_of(piece) != kNone ? 1 : Merging(piece).run(); }

}  // namespace

std::size_t count_byte_pairs(std::string_view piece) {
  static constinit KnownPieces known;
  if (piece.size() <= 1) return piece.size();
  if (piece.size() <= kMostMerged) return known.tokens(piece, count_whole_or_merged);
  if (piece.size() <= kLongestToken && rank_of(piece) != kNone) return 1;
  std::size_t tokens = 0;
  for (; piece.size() > kMostMerged; piece.remove_prefix(kMostMerged))
    tokens += count_whole_or_merged(piece.substr(0, kMostMerged));
  return tokens + count_whole_or_merged(piece);
}

}  // namespace memd
