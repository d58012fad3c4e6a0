#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

inline constexpr std::size_t kGistBytes = 200;

// Returns the request of a prompt in one line: its first informative words. Skips tags, pastes and code; a line that
// ends in a colon is joined with what it announces. Empty when the prompt has no prose.
std::string request_gist(std::string_view user_message, std::size_t most_bytes = kGistBytes);

// Returns the sentence of a final answer that best states the result; empty when there is none.
std::string result_gist(std::string_view final_answer, std::size_t most_bytes = kGistBytes);

struct OpenEnd {
  std::size_t exchange = 0;  // index of the input
  std::string text;          // one line
};
inline constexpr std::size_t kMostOpenEnds = 6;

// Returns what was left open at the end: a prompt without an answer, the agent's last question, and work that the last
// answers call remaining. In the order of the exchanges.
std::vector<OpenEnd> find_open_ends(std::span<const SummaryInput> exchanges);

}  // namespace memd
