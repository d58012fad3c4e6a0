#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::codex {

// The shell commands in a script of code mode: the string behind each "cmd:" of `tools.exec_command({cmd: "…"})`.
// Commands put together at run time are not found.
std::vector<std::string> script_commands(std::string_view script);

// The meaning of the JSON or JavaScript string around `at`, a place inside of it; empty when there is none.
std::string string_around(std::string_view text, std::size_t at);

}  // namespace memd::codex
