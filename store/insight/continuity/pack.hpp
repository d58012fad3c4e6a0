#pragma once

#include "store/insight/continuity/weights.hpp"
#include "store/insight/continuity/working_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::continuity {

struct CommandGroup {
  ExchangeId exchange = 0;
  std::vector<std::string> lines;
};

// A working state rendered in few tokens. Lines end with the id of their exchange: "… [x42]".
struct Pack {
  std::vector<std::string> goal;
  std::vector<std::string> constraints;
  std::vector<std::string> decisions;
  std::vector<std::string> said;  // what an agent chose and measured, and values that the user gave
  std::vector<std::string> problems;
  std::optional<std::string> last_error;
  std::vector<std::string> next_steps;
  std::optional<std::string> last_words;
  std::vector<std::string> running;
  std::vector<std::string> tests;
  // One line per directory: "store/: reader.cpp e5 r3 {openStore:41 readRow}, reader.hpp r2, ids.hpp {kNone}". e and r
  // are the numbers of edits and reads; braces list names in the file, the best with their lines.
  std::vector<std::string> files;
  std::vector<CommandGroup> commands;  // newest exchange first
  std::int64_t left_out = 0;           // items that did not fit
};

// Builds a pack of about `tokens` from the best items of `state`. Counts each part at its cost in JSON, without the
// names of the parts.
Pack make_pack(const WorkingState& state, std::size_t tokens, const Shares& shares);

}  // namespace memd::continuity
