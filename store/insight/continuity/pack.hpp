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

// A working state in few tokens. Lines end with the id of the exchange they come from: "… [x42]".
struct Pack {
  std::vector<std::string> goal;
  std::vector<std::string> constraints;
  std::vector<std::string> decisions;
  std::vector<std::string> problems;
  std::optional<std::string> last_error;
  std::vector<std::string> next_steps;
  std::vector<std::string> values;
  std::optional<std::string> last_words;
  std::vector<std::string> running;
  std::vector<std::string> tests;
  // A directory a line: "store/: reader.cpp e5 r3 {openStore:41 readRow}, reader.hpp r2, ids.hpp {kNone}"; e edited, r
  // read, so many times; in braces names that live there, the best with their lines.
  std::vector<std::string> files;
  std::vector<CommandGroup> commands;  // newest exchange first
  // That none of `commands` runs, and those with flags that stand nowhere else: "git log --oneline --format, wc".
  std::string programs;
  // Names that stand nowhere else in the pack and live in no known file, behind the exchange that used them last:
  // "x42: ExchangeId kNone".
  std::vector<std::string> names;
  std::int64_t left_out = 0;  // items that did not fit
};

// The best of `state` for about `tokens`: each part as it costs in JSON; the names of the parts are not counted.
Pack make_pack(const WorkingState& state, std::size_t tokens, const Shares& shares);

}  // namespace memd::continuity
