#pragma once

#include "adapters/claude_code/json_access.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "schemas/event.hpp"

#include <string_view>

namespace memd::claude_code {

inline constexpr std::size_t kSearchTextLimit = 1500;

// Fills tool call fields of `call` from the input of a tool_use block: summary, search_text, input_hash, files,
// is_test. `input` may be anything; false only for broken JSON. With Detail::full, `text` is the whole input, readable.
bool read_tool_input(RecordContext& context, od::value& input, Event& call);

}  // namespace memd::claude_code
