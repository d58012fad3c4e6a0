// Commands about the tools offered to agents.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/tools/capabilities.hpp"
#include "daemon/tools/capability_matrix.hpp"

#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

Command capabilities_command() {
  const auto markdown = std::make_shared<bool>(false);
  Command c{"capabilities", "What works on which platform"};
  c.json_schema = schema_of<tools::CapabilitiesAnswer>(c.name);
  c.options = {{"--markdown", markdown.get(),
                "As docs/capabilities.md: what the adapters declare, regardless of the configuration"}};
  c.run = [markdown](const Invocation& call) -> Result<int> {
    if (*markdown) {
      std::cout << tools::matrix_markdown(describe_adapters(Config{}), agent_ways());
      return kOk;
    }
    if (!call.as_json) {
      std::cout << tools::matrix_table(describe_adapters(call.settings.config));
      return kOk;
    }
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const auto outcome, caller->tool("capabilities", R"({"max_tokens":8000})"));
    return print(outcome, true);
  };
  return c;
}

Command tools_command() {
  Command c{"tools", "The tools agents are offered, with their schemas (JSON)"};
  c.own_json = true;
  c.run = [](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const std::string list, caller->tool_list());
    std::cout << list << '\n';
    return kOk;
  };
  return c;
}

Command call_command() {
  struct CallOptions {
    std::string tool;
    std::string arguments = "{}";
  };
  const auto o = std::make_shared<CallOptions>();
  Command c{"call", "Call a tool by name"};
  c.own_json = true;  // the JSON of the tool
  c.options = {{.names = "tool", .target = &o->tool, .help = "Name of the tool, see `memd tools`", .required = true},
               {"arguments", &o->arguments, "JSON object"}};
  c.run = [o](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const auto outcome, caller->tool(o->tool, o->arguments));
    return print(outcome, call.as_json);
  };
  return c;
}

}  // namespace

std::vector<Command> tool_commands() { return {capabilities_command(), tools_command(), call_command()}; }

}  // namespace memd::cli
