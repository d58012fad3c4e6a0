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

// What particular tools of opencode say of the files they changed and of the answers they got, in a part's "state".

// The files that a patch names, into `call.files`, and a summary with them.
void read_patch_files(ItemContext& context, od::object& state, Event& call);

// Lines added and removed in the files of a call that succeeded.
void count_changes(od::object& state, std::string_view tool, std::vector<FileTouch>& files);

// What a person answered to the tool "question": "question: answer", a line each.
std::string read_answers(ItemContext& context, od::object& state);

}  // namespace memd::opencode
