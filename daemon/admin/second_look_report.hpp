#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstdint>

namespace memd {
class MemoryHost;
}

// State of the second look. For worker threads; each function leases a reader of the host.
namespace memd::admin {

// The message of the progress that look_again_now() reports, in exchanges.
inline constexpr const char* kLookingAgain = "second look";

Result<SecondLookStatus> second_look_status(MemoryHost& host);
// Returns whether there is a second look: it is not off, and its network is there.
bool has_second_look(MemoryHost& host);
// Makes the vectors of the newest `most` exchanges that wait, until `deadline`, without pauses. The host must ingest.
// Errors: unsupported when the second look is off, those of the store, cancelled.
Result<SecondLookRun> look_again_now(MemoryHost& host, std::int64_t most,
                                     std::chrono::steady_clock::time_point deadline, mcp::ToolContext& context);
DoctorCheck check_second_look(MemoryHost& host);

}  // namespace memd::admin
