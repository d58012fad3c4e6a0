#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"

namespace memd::prompts {

// For people, behind a slash: resume (go on where work stopped), recall (what was said about something), handoff (a
// document for whoever takes over). Each calls tools and puts their answer, in its envelope, behind an instruction of
// ours, as messages of their own. One whose tools are not there is not offered. What the arguments refer to must
// outlive the registry.
void add_prompts(mcp::PromptRegistry& registry, const tools::ToolServices& services, const mcp::ToolRegistry& tools);

}  // namespace memd::prompts
