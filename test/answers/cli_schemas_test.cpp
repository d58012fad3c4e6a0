// Checks that schemas/json/cli contains the schemas of the structs that --json prints.
#include "daemon/cli/command.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

std::vector<Command> all_commands() {
  std::vector<Command> out{browse_command(),   report_command(), memory_command(), setup_command(),
                           key_command(),      hook_command(),   usage_command(),  statusline_command(),
                           platform_command(), web_command(),    share_command()};
  for (auto& commands : {history_commands(), tool_commands(), admin_commands(), interchange_commands(),
                         service_commands(), session_commands()})
    out.insert(out.end(), commands.begin(), commands.end());
  return out;
}

TEST(CliSchemas, AreWrittenDown) {
  const auto directory = test::source_dir() / "schemas/json/cli";
  std::set<std::string> expected;
  const auto check = [&](const std::string& name, const Command& command) {
    if (!command.json_schema || command.own_json) return;
    expected.insert(name + ".schema.json");
    test::expect_golden(directory / (name + ".schema.json"), command.json_schema() + "\n");
  };
  for (const Command& command : all_commands()) {
    check(command.name, command);
    for (const Command& sub : command.subcommands)
      check(command.name + "-" + sub.name, sub);
  }
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(directory))
    found.insert(file.path().filename().string());
  EXPECT_EQ(found, expected);
}

// A command has one documented JSON document, or is listed as one for people, for agents, or for a file only.
TEST(CliSchemas, EveryCommandHasOneOrRefuses) {
  const std::set<std::string> for_people{"browse", "web", "logs", "open", "handoff"};
  const std::set<std::string> of_many_shapes{"tools", "call", "report", "export"};
  for (const Command& command : all_commands()) {
    if (command.name == "memory") {  // each subcommand has its own
      for (const Command& sub : command.subcommands)
        EXPECT_TRUE(sub.json_schema) << sub.name;
      continue;
    }
    const bool other = command.name == "hook" || command.name == "statusline";
    EXPECT_EQ(command.own_json, of_many_shapes.contains(command.name)) << command.name;
    const bool without_schema = of_many_shapes.contains(command.name) && command.name != "report";
    EXPECT_EQ(!command.json_schema, other || for_people.contains(command.name) || without_schema) << command.name;
  }
}

}  // namespace
}  // namespace memd::cli
