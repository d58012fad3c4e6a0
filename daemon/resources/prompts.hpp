#pragma once

#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"

namespace memd::prompts {

// Prompts are for people, behind a slash: resume (go on where work stopped), recall (what was said about something),
// handoff (a document for whoever takes over). Each calls tools and gives their answer, in its envelope, as a message
// of its own after an instruction of ours. A prompt whose tools are not in `tools` is not offered. What the arguments
// refer to must outlive the registry, whose threads call what is added.
void add_prompts(mcp::PromptRegistry& registry, const tools::ToolServices& services, const mcp::ToolRegistry& tools);

}  // namespace memd::prompts
