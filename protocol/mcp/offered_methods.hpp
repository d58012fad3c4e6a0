#pragma once

#include "protocol/mcp/call.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "schemas/base/result.hpp"

#include <string>
#include <string_view>

namespace memd::mcp {

inline constexpr int kResourceNotFound = -32002;  // legacy revisions only

// Answers a method about resources, prompts or completion, as JSON text. Runs on a worker. Errors: invalid_argument and
// not_found are the caller's fault, all others ours.
using OfferedMethod = Result<std::string> (*)(const ServerProfile& profile, const Call& call, ToolContext& context);

// Returns nullptr when the method is none of these, or the server does not offer it.
OfferedMethod find_offered_method(std::string_view name, const ServerProfile& profile);

}  // namespace memd::mcp
