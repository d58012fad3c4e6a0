#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memd {

struct OpenEnd {
  std::size_t exchange = 0;  // index of the input
  std::string text;          // one line
};
inline constexpr std::size_t kMostOpenEnds = 6;

// What was left open at the end: a prompt without an answer, what the agent asked last, and what the last answers call
// remaining. In the order of the exchanges.
std::vector<OpenEnd> find_open_ends(std::span<const SummaryInput> exchanges);

}  // namespace memd
