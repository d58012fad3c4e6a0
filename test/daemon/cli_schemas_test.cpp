// The schemas in schemas/json/cli are those of the structs that --json prints.
#include "daemon/cli/command.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace memd::cli {
namespace {

TEST(CliSchemas, AreWrittenDown) {
  const auto directory = test::source_dir() / "schemas/json/cli";
  std::set<std::string> expected;
  for (const auto& commands : {history_commands(), admin_commands()})
    for (const Command& command : commands) {
      if (!command.json_schema) continue;
      const std::string name = command.name + ".schema.json";
      expected.insert(name);
      test::expect_golden(directory / name, command.json_schema() + "\n");
    }
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(directory))
    found.insert(file.path().filename().string());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace memd::cli
