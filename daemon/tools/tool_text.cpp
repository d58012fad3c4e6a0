#include "daemon/tools/tool_text.hpp"

namespace memd::tools {

Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context) {
  if (tools.find(tool) == nullptr) return Error(Errc::not_found, "there is no tool " + std::string(tool));
  mcp::ToolOutcome outcome = tools.call(tool, arguments, context);
  if (!outcome.is_error) return std::move(outcome.text);
  if (context.stop.stop_requested()) return Error(Errc::cancelled, outcome.text);
  return Error(outcome.unexpected ? Errc::store : Errc::invalid_argument, outcome.text);
}

}  // namespace memd::tools
