#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

inline constexpr std::size_t kDecisionBytes = 300;    // of one sentence; a longer one is cut at a word and marked
inline constexpr std::size_t kDecisionsPerText = 16;  // the first ones

// Sentences of an assistant's text that state a decision ("Going with SQLite because …", "I'll use X instead of Y").
// Prefers missing one to inventing one: questions, offers, conditions and plans to look at something are left out, and
// so is whatever stands in a code block. Each sentence once, on one line. Made for ingest: most text costs one fast
// pass.
std::vector<std::string> find_decisions(std::string_view text);

}  // namespace memd
