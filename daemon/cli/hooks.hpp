#pragma once

#include "daemon/config/config.hpp"
#include "protocol/mcp/hook_message.hpp"

#include <chrono>
#include <string>

// Output of the hooks that agents call. Free functions without shared state; each may be called on any thread.
namespace memd::cli {

// Limit from the start of the process to its end: the agent waits for its hooks.
inline constexpr std::chrono::milliseconds kHookDeadline{280};

// Limit for hooks of single steps. It is shorter because the agent waits at each step.
inline constexpr std::chrono::milliseconds kRecallDeadline{150};

// Returns the arguments of memd/recall for the input; empty: nothing is queried.
std::string recall_arguments(const HookInput& input, const HooksConfig& config);

// Returns the text that the hook prints. Queries the daemon at the other end of `connected_socket` and closes the
// socket. Fails open: returns an empty text on any error or when no answer comes within `time`.
std::string recall_output(int connected_socket, const HookInput& input, const std::string& arguments,
                          std::chrono::milliseconds time);

}  // namespace memd::cli
