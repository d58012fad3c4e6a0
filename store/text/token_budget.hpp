#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// How many tokens cl100k makes of `text` (UTF-8, damaged bytes allowed), at least: it is encoded as that tokenizer
// would, with two thirds of its ranks. Over agents' texts and answers it comes out some 3.5% high, in
// odd texts up to 25%, where words are of few common ranks (a sentence in Korean) by half; and not under. O(n), no
// allocation, thread-safe.
std::size_t estimate_tokens(std::string_view text);

struct TokenPrefix {
  std::size_t bytes = 0;
  std::size_t tokens = 0;  // estimate_tokens() of it; one more if it ends in the midst of blanks
};

// A long prefix, ending at a UTF-8 border, of at most `tokens`; all of the text if that fits. Reads little more than
// what it returns, and once.
TokenPrefix prefix_within_tokens(std::string_view text, std::size_t tokens);

// What is left of a text after cutting. `text` never costs more than was allowed, by estimate_tokens().
struct CutText {
  std::string text;
  std::size_t tokens = 0;      // of `text`
  std::size_t kept_bytes = 0;  // of the whole that stand in `text`, from the beginning
  bool cut = false;
};

// Shortens at a paragraph, line, sentence or word border, in this order of preference, never inside a UTF-8 sequence,
// and marks the place with "…". A code fence that was open there is closed. Empty when not even the mark fits.
CutText cut_to_tokens(std::string_view text, std::size_t max_tokens);

// Max-min fair: nobody gets more than asked, what modest ones leave goes to the others.
std::vector<std::size_t> fair_shares(std::size_t budget, std::span<const std::size_t> wanted);

// The tokens of one answer. Every part of a tool's answer is paid from here; overdrawing is impossible.
// A value; one thread.
class TokenBudget {
 public:
  explicit TokenBudget(std::size_t max_tokens) : max_(max_tokens) {}

  std::size_t max() const { return max_; }
  std::size_t used() const { return used_; }
  std::size_t remaining() const { return max_ - used_; }

  // All or nothing.
  bool take(std::size_t tokens);
  bool take_text(std::string_view text);
  // As much of the text as `at_most` and what remains allow.
  CutText take_cut(std::string_view text, std::size_t at_most);

 private:
  std::size_t max_;
  std::size_t used_ = 0;
};

}  // namespace memd
