#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

inline constexpr std::size_t kGistBytes = 200;

// What a prompt asks for, in one line: its first words that say something. Tags, pastes and code are passed over; a
// line that ends in a colon takes what it announces with it. Empty when nothing was said in words.
std::string request_gist(std::string_view user_message, std::size_t most_bytes = kGistBytes);

// What came of it: the sentence of a final answer that tells the result best. Empty when there is none.
std::string result_gist(std::string_view final_answer, std::size_t most_bytes = kGistBytes);

struct OpenEnd {
  std::size_t exchange = 0;  // index of the input
  std::string text;          // one line
};
inline constexpr std::size_t kMostOpenEnds = 6;

// What was left open at the end: a prompt without an answer, what the agent asked last, and what the last answers call
// remaining. In the order of the exchanges.
std::vector<OpenEnd> find_open_ends(std::span<const SummaryInput> exchanges);

}  // namespace memd
