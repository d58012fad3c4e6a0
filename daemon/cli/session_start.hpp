#pragma once

#include "protocol/mcp/hook_message.hpp"

#include <chrono>
#include <string>

namespace memd::hooks {

// From the start of the process to its end. An agent waits for its hooks.
inline constexpr std::chrono::milliseconds kHookDeadline{280};

// What the hook prints: what the session was about, after a compaction, or where the work in this directory stopped.
// Asks the daemon at the other end of `connected_socket`, which it takes over. Fails open: whatever goes wrong or is
// not there in `time`, the text is empty.
std::string session_start_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time);

// The arguments of resume_context for that input; empty: nothing is to be asked.
std::string resume_arguments(const HookInput& input);

}  // namespace memd::hooks
