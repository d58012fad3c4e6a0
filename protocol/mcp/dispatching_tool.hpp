#pragma once

#include "protocol/mcp/tool_registry.hpp"

#include <span>
#include <string_view>

namespace memd::mcp {

// A name under which an action goes, and what an argument of it is called by the tool.
struct ActionAlias {
  std::string_view action;
  std::string_view tool;
  std::string_view argument;  // empty: all arguments are the tool's own
  std::string_view renamed;
};

// Adds a tool that passes its arguments on to another one of the registry, named by `action`: the tool's own name, or
// one of `aliases`. Its schema has the parameters of them all; the tool called checks them, and its result is the
// result. To be added last, and the registry must stay where it is.
void add_dispatching_tool(ToolRegistry& registry, ToolInfo info, std::span<const ActionAlias> aliases);

}  // namespace memd::mcp
