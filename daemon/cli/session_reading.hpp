#pragma once

#include "daemon/cli/command.hpp"
#include "schemas/base/result.hpp"

#include <string>
#include <vector>

namespace memd::cli {

// How much of the tools' work is shown: a line for each call; shortened inputs and results; all of them, with thinking.
enum class ToolDetail { line, shortened, whole };

struct SessionReading {
  std::string session;  // as SessionQuery accepts it
  ToolDetail tools = ToolDetail::line;
  bool as_markdown = false;
};

// Prints a session from start to end, with the calls of tools between the texts and its subagents where they started.
Result<int> read_session(const Invocation& call, const SessionReading& wanted);

// Returns the ids of all turns of a session, in order.
Result<std::vector<std::string>> turns_of_session(const Invocation& call, const std::string& session);

// Returns whether the text names a turn, and no session: x42, SESSION#3.
bool names_turn(const std::string& text);

}  // namespace memd::cli
