#include "store/text/token_estimate.hpp"

#include "store/text/byte_pairs.hpp"
#include "store/text/pre_tokens.hpp"
#include "store/text/text_shape.hpp"

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

}  // namespace memd
