#pragma once

#include "schemas/event.hpp"

#include <optional>
#include <string_view>

namespace memd::cline {

// The name a tool has towards the model, from the one the messages for the user interface give it
// ("newFileCreated" → "write_to_file"). Unknown names stay.
std::string_view model_tool_name(std::string_view ui_name);

// Whether a call to `model_name` can be the one that is shown as `shown` (both names towards the model): a file that
// exists may have been written whole or edited.
bool may_show(std::string_view shown, std::string_view model_name);

// Tools by which the model talks to the user: their calls are shown as messages.
bool is_talk(std::string_view model_name);

std::optional<FileAccess> access_of(std::string_view model_name);

}  // namespace memd::cline
