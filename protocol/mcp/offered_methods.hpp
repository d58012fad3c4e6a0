#pragma once

#include "protocol/mcp/call.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "schemas/error.hpp"

#include <string>
#include <string_view>

namespace memd::mcp {

inline constexpr int kResourceNotFound = -32002;  // legacy revisions only

// A method about resources, prompts or completion. Runs on a worker; gives the result as JSON text. Errors that are the
// caller's are invalid_argument and not_found.
using OfferedMethod = Result<std::string> (*)(const ServerProfile& profile, const Call& call, ToolContext& context);

// nullptr for a method that is none of these, or of something the server does not offer.
OfferedMethod find_offered_method(std::string_view name, const ServerProfile& profile);

}  // namespace memd::mcp
