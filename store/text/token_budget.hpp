#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Returns an upper estimate of the number of cl100k tokens of `text` (UTF-8, invalid bytes allowed). Encodes it as that
// tokenizer does, with two thirds of its ranks. The estimate is about 3.5% high for agents' texts and answers, up to
// 25% for unusual texts with few common ranks, and up to half for Korean; it is never low. O(n), no allocation,
// thread-safe.
std::size_t estimate_tokens(std::string_view text);

struct TokenPrefix {
  std::size_t bytes = 0;
  std::size_t tokens = 0;  // estimate_tokens() of the prefix; one more if it ends inside a run of blanks
};

// Returns a long prefix of at most `tokens` that ends at a UTF-8 boundary; the whole text if it fits. Reads little more
// than it returns, and only once.
TokenPrefix prefix_within_tokens(std::string_view text, std::size_t tokens);

// The rest of a text after cutting. By estimate_tokens(), `text` never exceeds the allowed tokens.
struct CutText {
  std::string text;
  std::size_t tokens = 0;      // of `text`
  std::size_t kept_bytes = 0;  // bytes from the start of the original that are in `text`
  bool cut = false;
};

// Cuts at a paragraph, line, sentence or word boundary, in this order of preference, never inside a UTF-8 sequence, and
// marks the cut with "…". Closes a code fence that is open there. Empty when not even the mark fits.
CutText cut_to_tokens(std::string_view text, std::size_t max_tokens);

// Max-min fair: nobody gets more than wanted, and unused shares go to the others.
std::vector<std::size_t> fair_shares(std::size_t budget, std::span<const std::size_t> wanted);

// The token budget of one answer. Every part of a tool's answer is charged to it; it cannot be overdrawn. A value; one
// thread.
class TokenBudget {
 public:
  explicit TokenBudget(std::size_t max_tokens) : max_(max_tokens) {}

  std::size_t max() const { return max_; }
  std::size_t used() const { return used_; }
  std::size_t remaining() const { return max_ - used_; }

  // Take all or nothing; return false if the rest does not suffice.
  bool take(std::size_t tokens);
  bool take_text(std::string_view text);

 private:
  std::size_t max_;
  std::size_t used_ = 0;
};

}  // namespace memd
