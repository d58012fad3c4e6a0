#pragma once

#include "daemon/tools/scope.hpp"

namespace memd::tools {

// Parameters of the tools that tell of one session.
struct SessionParams : ScopeParams {
  std::optional<std::string> session_id;
};

inline constexpr auto kSessionFields = std::make_tuple(
    mcp::field("session_id", &SessionParams::session_id,
               "Session id or its first characters; none means the newest session (of `project`, if given).",
               mcp::length(0, 200)),
    mcp::field("project", &ScopeParams::project, "Part of the project's path or name, when no session_id is given.",
               mcp::length(0, 500)));

}  // namespace memd::tools
