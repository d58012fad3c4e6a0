#pragma once

#include "bench/continuity/used_again.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// Which of the items a pack's text names: [kind][item].
using Found = std::array<std::vector<bool>, kItemKindCount>;
Found find_items(std::string_view pack, const Items& items, const Known& known);

struct Score {
  std::string method;
  std::size_t budget = 0;  // tokens asked for; 0: none
  std::size_t tokens = 0;  // of the pack, estimated
  Found found;
  std::size_t leaks = 0;  // names of the future
};

// One compaction, by all methods.
struct Scored {
  std::string session;     // native id
  std::size_t number = 0;  // of the compaction in its session, from 1
  bool held_out = false;
  Items items;
  std::vector<Score> scores;
};

// Sessions are on one side with all their compactions.
bool is_held_out(std::string_view session);

}  // namespace memd::bench
