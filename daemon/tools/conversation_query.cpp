#include "daemon/tools/conversation_query.hpp"

#include "protocol/mcp/tool_registry.hpp"

#include <array>

namespace memd::tools {

void add_conversation_query(mcp::ToolRegistry& registry) {
  constexpr std::array aliases{mcp::ActionAlias{"temporal", "temporal_query", "", ""},
                               mcp::ActionAlias{"topic_search", "topic_search", "query", "topic"}};
  mcp::ToolInfo info;
  info.name = "conversation_query";
  info.title = "All of these tools in one";
  info.description =
      "The history of coding agents on this machine, asked in several ways: action names one of the other tools, the "
      "rest are its arguments. conversation_query(action=\"recent_turns\", n_turns=5).";
  mcp::add_dispatching_tool(registry, std::move(info), aliases);
}

}  // namespace memd::tools
