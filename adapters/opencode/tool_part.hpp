#pragma once

#include "adapters/opencode/item_decoder.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// A call of a tool and what came of it, which stand together in one part. `state` is its object "state"; times are what
// the part says beside it (0: the state knows).
struct ToolPart {
  std::string tool;
  std::string call_id;
  TimeMs started = 0;
  TimeMs ended = 0;
  std::size_t block = 0;
};
void read_tool_part(ItemContext& context, const ToolPart& part, od::object& state);

}  // namespace memd::opencode
