#pragma once

#include "protocol/mcp/hook_message.hpp"

#include <chrono>
#include <string>

// Output of the hooks that agents call. Free functions without shared state; each may be called on any thread.
namespace memd::cli {

// Limit from the start of the process to its end: the agent waits for its hooks.
inline constexpr std::chrono::milliseconds kHookDeadline{280};

// Returns the text that the session-start hook prints. After a compaction it summarises the session, else the point
// where work in this directory stopped. Queries the daemon at the other end of `connected_socket` and closes the
// socket. Fails open: returns an empty text on any error or when no answer comes within `time`.
std::string session_start_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time);

// Limit for hooks of single steps. It is shorter because the agent waits at each step.
inline constexpr std::chrono::milliseconds kRecallDeadline{150};

// Returns the text that the hook of a tool call prints: what is stored about the file to be edited, the command to be
// run, or the error that occurred. Otherwise like session_start_output().
std::string recall_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time);

// Returns the arguments of memd/recall for the input; empty: nothing is queried. For Cursor and Gemini CLI only errors
// are queried, because they do not read the output of a hook before a tool runs.
std::string recall_arguments(const HookInput& input);

// Returns the arguments of resume_context for the input; empty: nothing is queried.
std::string resume_arguments(const HookInput& input);

}  // namespace memd::cli
