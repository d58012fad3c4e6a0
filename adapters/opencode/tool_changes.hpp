#pragma once

#include "adapters/opencode/item_context.hpp"

#include <string>
#include <string_view>
#include <vector>

// What particular tools of opencode say of the files they changed and of the answers they got, in a part's "state".
namespace memd::opencode {

// The files that a patch names, into `call.files`, and a summary with them.
void read_patch_files(ItemContext& context, od::object& state, Event& call);

// Lines added and removed in the files of a call that succeeded.
void count_changes(od::object& state, std::string_view tool, std::vector<FileTouch>& files);

// What a person answered to the tool "question": "question: answer", a line each.
std::string read_answers(ItemContext& context, od::object& state);

}  // namespace memd::opencode
