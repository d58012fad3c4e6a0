#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// Random words that no rule knows and no sensitive name is beside: the value of a name that tells a service
// (`asana = "…"`) or nothing, the argument of a call (`new Client("…")`), a word of a sentence. Pure; thread-safe.
namespace memd::redaction {

inline constexpr std::size_t kShortRun = 12;  // letters and digits

// A run of at least kLongRun letters and digits is at [begin, end). Appends the token that it is in. `ahead` belongs to
// the text.
void find_bare_token(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                     std::vector<Secret>& out);

// Likewise a run of at least kShortRun, if it is a word by itself that is random as passwords are that programs make.
// may_be_lone_word() has said so.
void find_lone_word(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                    std::vector<Secret>& out);

// What may stand around a word, as bits: 1 in front of it, 2 behind it.
inline constexpr auto kSeparates = [] {
  std::array<std::uint8_t, 256> out{};
  for (const char c : std::string_view(" \t\n\r\"'`\\:,|"))
    out[static_cast<unsigned char>(c)] = 3;
  for (const char c : std::string_view("=>{(["))
    out[static_cast<unsigned char>(c)] = 1;
  for (const char c : std::string_view("<;@}&)]"))
    out[static_cast<unsigned char>(c)] = 2;
  return out;
}();
// A letter has this bit, a digit does not; of eight bytes.
inline constexpr std::uint64_t kOfLetters = 0x4040'4040'4040'4040U;

// Whether the run, of at least kShortRun, is a word by itself and has digits in its first eight bytes or around its
// last sixteen. There are many runs, and the answer is nearly always no: one branch for all.
inline bool may_be_lone_word(std::string_view text, std::size_t begin, std::size_t end) {
  const unsigned before = begin == 0 ? 1U : kSeparates[static_cast<unsigned char>(text[begin - 1])] & 1U;
  const unsigned behind = end == text.size() ? 2U : kSeparates[static_cast<unsigned char>(text[end])] & 2U;
  const auto no_digits = [&](std::size_t i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, sizeof bytes);
    return bytes & kOfLetters;
  };
  const std::uint64_t letters =
      no_digits(begin) & no_digits(end - 8) & no_digits(std::max(begin, end - std::min<std::size_t>(end, 16)));
  return ((before | behind) & (letters != kOfLetters ? 3U : 0U)) == 3U;
}

}  // namespace memd::redaction
