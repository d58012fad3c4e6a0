#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/serve/settings.hpp"
#include "schemas/error.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace memd::cli {

// What a command needs when its turn comes. A command's callback sets `action`; run() then resolves the settings and
// calls it. The result is the exit code.
struct CommandContext {
  GlobalOptions global;
  std::function<Result<int>(const Settings&)> action;
  bool fails_open = false;  // whatever goes wrong is no failure, and is not told
};

// Prints the outcome (its JSON with --json) and gives the exit code.
int print(const mcp::ToolOutcome& outcome, bool as_json);

void add_tool_commands(CLI::App& app, CommandContext& context);
void add_admin_commands(CLI::App& app, CommandContext& context);
void add_rebuild_command(CLI::App& app, CommandContext& context);
void add_interchange_commands(CLI::App& app, CommandContext& context);
void add_hook_command(CLI::App& app, CommandContext& context);
void add_report_command(CLI::App& app, CommandContext& context);
void add_completion_command(CLI::App& app, CommandContext& context);
void add_serve_options(CLI::App& app, CommandContext& context);

}  // namespace memd::cli
