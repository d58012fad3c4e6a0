#pragma once

#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/offers.hpp"

// Offers what a person may mean who types into a template or a prompt. Thread-safe. What the services refer to must
// outlive the functions.
namespace memd::resources {

// Session ids that begin with what was typed, or whose title holds it.
mcp::Completer session_values(const tools::ToolServices& services);
// Names of projects.
mcp::Completer project_values(const tools::ToolServices& services);
// Topics that were talked about.
mcp::Completer topic_values(const tools::ToolServices& services);

}  // namespace memd::resources
