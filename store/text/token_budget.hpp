#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

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
