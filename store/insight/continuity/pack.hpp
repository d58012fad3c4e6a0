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
  // A directory a line: "store/: reader.cpp e5 r3 {openStore:41 readRow}, reader.hpp r2 [x42]"; e edited, r read, so
  // many times; in braces names that live there, with their lines; an id holds for the files before it.
  std::vector<std::string> files;
  std::vector<CommandGroup> commands;  // newest exchange first
  std::string programs;                // that none of `commands` runs; separated by commas
  // That stand nowhere else in the pack, where they live in front: "store/ids.hpp: ExchangeId:12 kNone", or the
  // exchange that used them last: "x42: --dry-run".
  std::vector<std::string> names;
  std::int64_t left_out = 0;  // items that did not fit
};

// Names and what says where they live get so much of a pack at most, as they cost in JSON: 15% of its text.
inline constexpr double kNamesShare = 0.13;

// The best of `state` for about `tokens` (each part as it costs in JSON; the names of the parts are not counted), of
// which bare names get `names` at most.
Pack make_pack(const WorkingState& state, std::size_t tokens, const Shares& shares, std::size_t names);
inline Pack make_pack(const WorkingState& state, std::size_t tokens, const Shares& shares) {
  return make_pack(state, tokens, shares, static_cast<std::size_t>(kNamesShare * static_cast<double>(tokens)));
}

}  // namespace memd::continuity
