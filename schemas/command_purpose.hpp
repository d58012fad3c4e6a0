#pragma once

#include "schemas/shell_script.hpp"
#include "schemas/tool_facts.hpp"

#include <span>
#include <string>
#include <string_view>

// What command lines are for, by their command words and not by text that contains "test". Pure; thread-safe.
namespace memd {

// Returns the purpose of a line: "cd x && FOO=1 go test ./... | tail" tests, and "cmake --build out" builds. A line
// that does both counts as a test.
CommandPurpose purpose_of(std::string_view line);
CommandPurpose purpose_of(const ShellNode& node);

// Returns the purpose of a simple command. `words`: as in ShellNode::words.
CommandPurpose purpose_of(std::span<const std::string_view> words);

// Returns the script that a simple command gives to another shell: of `bash -lc "…"`, `ssh host '…'`, `docker exec c sh
// -c "…"`. Empty: there is none.
std::string script_within(std::span<const std::string_view> words);

// Returns whether a non-zero exit code of the command is an answer and no failure: `grep -q`, `[ -f x ]`.
bool answers_by_status(std::span<const std::string_view> words);

inline bool runs_tests(std::string_view line) { return purpose_of(line) == CommandPurpose::test; }

}  // namespace memd
