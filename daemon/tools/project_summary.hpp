#pragma once

#include "daemon/tools/session_summary.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"

namespace memd::tools {

struct ToolServices;

// Answers session_summary(level=kProjectLevel): who worked on the project and when, its topics and files, what its user
// decided, what is open, and its newest sessions as chunks. session_id is empty. Leases a reader.
Result<SessionSummaryAnswer> summarize_project(const ToolServices& services, const SessionSummaryParams& params,
                                               const mcp::ToolContext& context);

}  // namespace memd::tools
