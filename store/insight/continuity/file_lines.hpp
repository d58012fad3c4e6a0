#pragma once

#include "store/insight/continuity/working_state.hpp"
#include "store/text/token_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memd::continuity {

// Files, a line a directory (Pack::files), for at most `tokens` of the budget. Adds those that did not fit to
// `left_out`.
std::vector<std::string> file_lines(const WorkingState& state, std::size_t tokens, TokenBudget& budget,
                                    std::int64_t& left_out);

}  // namespace memd::continuity
