#pragma once

#include "adapters/gemini/message_context.hpp"

namespace memd::gemini {

// An element of toolCalls: the call and, when it has ended, its result. `block` is its place in the list.
void read_tool_call(MessageContext& context, od::object& entry, std::size_t block);

}  // namespace memd::gemini
