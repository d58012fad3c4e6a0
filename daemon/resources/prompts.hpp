#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::prompts {

// Adds the prompts that a user invokes as slash commands: resume (continue where work stopped), recall (what was said
// about something), handoff (a document for whoever takes over). Each calls tools and returns their answer, in its
// envelope, as a separate message after an instruction of memd. A prompt whose tools are not in `tools` is not added.
// The arguments' referents must outlive the registry. Its threads call the added functions.
void add_prompts(mcp::PromptRegistry& registry, const tools::ToolServices& services, const mcp::ToolRegistry& tools);

}  // namespace memd::prompts
