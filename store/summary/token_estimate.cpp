#include "store/summary/token_estimate.hpp"

#include "store/summary/byte_pairs.hpp"
#include "store/summary/pre_tokens.hpp"
#include "store/summary/text_shape.hpp"

#include <limits>

namespace memd {
namespace {

// Pieces are counted until the text ends or there are more than `limit` tokens.
struct Counted {
  std::size_t tokens = 0;
  std::size_t within = 0;    // where the last piece ended that did not pass the limit
  std::size_t position = 0;  // where counting ended
};

Counted count(std::string_view text, std::size_t limit) {
  Counted out;
  PreTokens pieces(text);
  while (!pieces.at_end()) {
    out.tokens += count_byte_pairs(pieces.next());
    out.position = pieces.position();
    if (out.tokens > limit) break;
    out.within = out.position;
  }
  return out;
}

}  // namespace

std::size_t estimate_tokens(std::string_view text) {
  return count(text, std::numeric_limits<std::size_t>::max()).tokens;
}

std::size_t prefix_within_tokens(std::string_view text, std::size_t tokens) {
  const Counted counted = count(text, tokens);
  std::size_t low = counted.within;
  // The last piece of a prefix may end where no piece of the whole text does.
  while (low > 0 && estimate_tokens(text.substr(0, low)) > tokens)
    --low;
  std::size_t high = counted.position;    // the end of the piece that was too much
  constexpr std::size_t kLongPiece = 64;  // a piece without a border inside, such as base64
  while (high - low > kLongPiece) {
    const std::size_t middle = low + (high - low) / 2;
    (estimate_tokens(text.substr(0, middle)) <= tokens ? low : high) = middle;
  }
  while (low > 0 && is_utf8_tail(text, low))
    --low;
  return low;
}

}  // namespace memd
