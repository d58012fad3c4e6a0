#include "store/text/token_budget.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/pre_tokens.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

namespace memd {
namespace {

constexpr std::size_t kSlots = std::size_t{1} << 17;
// Maximum bytes of a piece that is merged, because merging is quadratic. Longer pieces (base64, runs of one character)
// are split. The length fits in a byte.
constexpr std::size_t kMostMerged = 64;
constexpr std::size_t kLongestToken = 128;  // bytes of the longest token, a run of blanks

using Rank = std::uint32_t;
constexpr Rank kNone = std::numeric_limits<Rank>::max();

static_assert(std::endian::native == std::endian::little, "the table is little-endian");

// FNV-1a: the hash of two adjacent parts continues that of the first.
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

// Merges a piece of at most kMostMerged bytes: joins the pair with the lowest rank, the leftmost on a tie, until no
// pair has a rank. A part is identified by its start.
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
  // Rank, and in the low byte the first part of the pair; the smallest value is merged next.
  using Pair = std::uint32_t;

  Pair lowest() const {
    Pair best = kNone;
    for (std::size_t i = 0; i < piece_.size(); ++i)
      best = pairs_[i] < best ? pairs_[i] : best;
    return best;
  }

  // Updates the pair of the part at `i` and the next one.
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

// A cache of token counts by piece, because words repeat. Shared by all threads. An entry is one atomic word: the hash
// of the piece with the token count in its low byte.
class KnownPieces {
 public:
  // The entries are larger than a processor's nearer caches. Called some pieces ahead of tokens().
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&entries_[index_of(hash)]); }
  // Returns the token count of a piece of at most kMostMerged bytes with this hash64(). The probability of a hash
  // collision is 2^-40 per lookup.
  template <class Count>
  std::size_t tokens(std::string_view piece, std::uint64_t hash, Count&& count) {
    std::atomic<std::uint64_t>& entry = entries_[index_of(hash)];
    const std::uint64_t known = entry.load(std::memory_order_relaxed);
    if (known >> 8 == hash >> 8 && (known & 0xFFU) != 0) return known & 0xFFU;
    const std::size_t tokens = count(piece);
    entry.store((hash & ~std::uint64_t{0xFF}) | tokens, std::memory_order_relaxed);
    return tokens;
  }

 private:
  static constexpr unsigned kBits = 16;
  static std::size_t index_of(std::uint64_t hash) { return hash >> (64 - kBits); }
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << kBits> entries_{};
};

constinit KnownPieces known_pieces;

std::size_t count_whole_or_merged(std::string_view piece) { return rank_of(piece) != kNone ? 1 : Merging(piece).run(); }

// Returns the number of byte-pair tokens of a piece from the pre-tokeniser, with the first 65,535 ranks of cl100k.
// Ranks are merged in order, so missing ranks can only raise the count, by about 3.5% over agents' texts. O(n), no
// allocation, thread-safe. `hash`: hash64() of a piece of 2 to kMostMerged bytes.
//
// The table (packaging/tokenizer/make_byte_pairs.py) is compiled into the binary: 2^17 slots of 32 bits, open
// addressing with steps of one; the low half is rank + 1, 0 in an empty slot, the high half the first bits of the
// token's hash. A false match (about one in 25,000 lookups of absent tokens) changes the count by one token.
std::size_t count_byte_pairs(std::string_view piece, std::uint64_t hash) {
  if (piece.size() <= 1) return piece.size();
  if (piece.size() <= kMostMerged) return known_pieces.tokens(piece, hash, count_whole_or_merged);
  if (piece.size() <= kLongestToken && rank_of(piece) != kNone) return 1;
  std::size_t tokens = 0;
  for (; piece.size() > kMostMerged; piece.remove_prefix(kMostMerged))
    tokens += count_whole_or_merged(piece.substr(0, kMostMerged));
  return tokens + count_whole_or_merged(piece);
}

// The result of counting pieces until the end of the text or more than `limit` tokens.
struct Counted {
  std::size_t tokens = 0;
  std::size_t position = 0;  // position at which counting ended
  TokenPrefix within;        // up to the piece that exceeded the limit
};

Counted count(std::string_view text, std::size_t limit) {
  struct Piece {
    std::string_view text;
    std::size_t end = 0;
    std::uint64_t hash = 0;
  };
  std::array<Piece, 8> ahead;  // a ring
  std::size_t read = 0;
  Counted out;
  PreTokens pieces(text);
  for (std::size_t counted = 0;; ++counted) {
    for (; read < counted + ahead.size() && !pieces.at_end(); ++read) {
      Piece& piece = ahead[read % ahead.size()];
      piece = {pieces.next(), pieces.position(), 0};
      if (piece.text.size() <= 1 || piece.text.size() > kMostMerged) continue;
      piece.hash = hash64(piece.text);
      known_pieces.prefetch(piece.hash);
    }
    if (counted == read) break;
    const Piece& piece = ahead[counted % ahead.size()];
    out.tokens += count_byte_pairs(piece.text, piece.hash);
    out.position = piece.end;
    if (out.tokens > limit) break;
    out.within = {out.position, out.tokens};
  }
  return out;
}

// Takes a part of a long piece. `whole` is the prefix of complete pieces that fit.
TokenPrefix cut_inside_piece(std::string_view text, std::size_t tokens, TokenPrefix whole, std::size_t piece_end) {
  constexpr std::size_t kLongPiece = 64;  // without a boundary inside, such as base64
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
  // A cut inside a piece can change the pieces before it, so the prefix is counted again.
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

constexpr std::string_view kMark = "…";

// The best position to cut text[0, limit). An earlier position is used only if it keeps most of the text.
struct Border {
  std::size_t at = 0;
  bool whole_line = false;
};

Border best_border(std::string_view text, std::size_t limit, bool in_fence) {
  const std::string_view head = text.substr(0, limit);
  const std::size_t paragraph_floor = limit - limit / 5;
  const std::size_t line_floor = limit - limit / 3;
  if (!in_fence) {
    const std::size_t paragraph = head.rfind("\n\n");
    if (paragraph != std::string_view::npos && paragraph >= paragraph_floor) return {paragraph, true};
  }
  const std::size_t line = head.rfind('\n');
  if (line != std::string_view::npos && (line >= line_floor || (in_fence && line >= limit / 2))) return {line, true};
  if (!in_fence) {
    for (std::size_t i = limit; i-- > line_floor;)
      if (const std::size_t end = sentence_end_at(text, i); end != 0 && end <= limit) return {end, false};
  }
  const std::size_t blank = head.find_last_of(" \t\n");
  if (blank != std::string_view::npos && blank >= limit / 2) return {blank, false};
  return {limit, false};
}

std::string shorten(std::string_view text, std::size_t limit, std::size_t& kept) {
  // A cut inside the opening line of a fence would leave a partial fence, because the tracker reads whole lines only.
  const std::size_t line_begin = text.substr(0, limit).rfind('\n');
  const std::size_t whole_lines = line_begin == std::string_view::npos ? 0 : line_begin + 1;
  const bool in_fence = fences_of(text.substr(0, whole_lines)).is_open();
  const Border border = best_border(text, limit, in_fence);
  std::string out(text.substr(0, border.at));
  const std::size_t last = out.find_last_not_of(" \t\r\n");
  out.resize(last == std::string::npos ? 0 : last + 1);
  kept = out.size();
  const FenceTracker fences = fences_of(out);
  if (fences.is_open()) {
    out += "\n…\n";
    out += fences.closing();
  } else {
    if (border.whole_line && !out.empty()) out += '\n';
    out += kMark;
  }
  return out;
}

}  // namespace

CutText cut_to_tokens(std::string_view text, std::size_t max_tokens) {
  CutText out;
  TokenPrefix prefix = prefix_within_tokens(text, max_tokens);
  if (prefix.bytes == text.size()) {
    out.text = text;
    out.tokens = prefix.tokens;
    out.kept_bytes = text.size();
    return out;
  }
  out.cut = true;
  // The mark and a closing fence come on top of the prefix, so the prefix may have to be shortened for them.
  for (std::size_t allowed = max_tokens; allowed > 0; prefix = prefix_within_tokens(text, allowed)) {
    std::size_t kept = 0;
    std::string shorter = shorten(text, prefix.bytes, kept);
    const std::size_t tokens = estimate_tokens(shorter);
    if (tokens <= max_tokens) {
      out.text = std::move(shorter);
      out.tokens = tokens;
      out.kept_bytes = kept;
      break;
    }
    allowed -= std::min(allowed, tokens - max_tokens);
  }
  return out;
}

std::vector<std::size_t> fair_shares(std::size_t budget, std::span<const std::size_t> wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<std::size_t> shares(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t share = std::min(wanted[order[i]], budget / (order.size() - i));
    shares[order[i]] = share;
    budget -= share;
  }
  return shares;
}

bool TokenBudget::take(std::size_t tokens) {
  if (tokens > remaining()) return false;
  used_ += tokens;
  return true;
}

bool TokenBudget::take_text(std::string_view text) { return take(estimate_tokens(text)); }

}  // namespace memd
