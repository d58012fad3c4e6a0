#pragma once

#include <string_view>

namespace memd {

// The native id of a subagent is "<that of its session>/agent-<id>" where the platform has no ids of its own for them.
inline constexpr std::string_view kSubagentIdBegins = "agent-";

}  // namespace memd
