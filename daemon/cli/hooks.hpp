#pragma once

#include "protocol/mcp/hook_message.hpp"

#include <chrono>
#include <string>

// What agents' hooks call. Free functions without shared state; each may be called on any thread.
namespace memd::cli {

// From the start of the process to its end. An agent waits for its hooks.
inline constexpr std::chrono::milliseconds kHookDeadline{280};

// Text for the hook to print. After a compaction it tells what the session was about, else where the work in this
// directory stopped. Asks the daemon at the other end of `connected_socket` and closes it. Fails open: gives an empty
// text on any error, and when no answer came within `time`.
std::string session_start_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time);

// An agent waits for each of its steps, so these are shorter.
inline constexpr std::chrono::milliseconds kRecallDeadline{150};

// Text for the hook of a tool's call to print: what is known of the file that is about to be edited, the command that
// is about to be run, or the error it met. As session_start_output() otherwise.
std::string recall_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time);

// The arguments of memd/recall for that input; empty: nothing is to be asked. Of Cursor and Gemini CLI, whose agents do
// not read what a hook says before a tool runs, only errors are.
std::string recall_arguments(const HookInput& input);

// The arguments of resume_context for that input; empty: nothing is to be asked.
std::string resume_arguments(const HookInput& input);

}  // namespace memd::cli
