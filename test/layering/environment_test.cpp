// docs/environment.md names the environment variables that the sources read, and no others.
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace memd::layering {
namespace {

namespace fs = std::filesystem;

void add_matches(const std::string& text, const std::string& pattern, std::set<std::string>& out) {
  const std::regex regex(pattern);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it)
    out.insert((*it)[1]);
}

// The functions that take the name of a variable; a call of getenv with anything else than a literal is inside one.
const std::string kReaders = "(?:getenv|setenv|variable|value_of|path_variable|places|roots_in)";

// Returns the lines that may read a variable, with the line before each: expressions are slow over all sources.
std::string lines_with_signs(const std::string& source) {
  constexpr std::array<std::string_view, 9> kSigns{"getenv",      "setenv", "variable(\"", "value_of(\"", "places(\"",
                                                   "roots_in(\"", "MEMD_",  "\"${",        "Variable = "};
  std::string out, before;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line); before = line)
    if (std::any_of(kSigns.begin(), kSigns.end(), [&](auto sign) { return line.find(sign) != std::string::npos; }))
      out += before + "\n" + line + "\n";
  return out;
}

std::set<std::string> variables_in(const std::string& whole) {
  std::set<std::string> out;
  const std::string source = lines_with_signs(whole);
  add_matches(source, "\\b" + kReaders + R"re(\("([A-Z][A-Z0-9_]*)")re", out);
  add_matches(source, R"re(Variable = "([A-Z][A-Z0-9_]*)")re", out);
  add_matches(source, R"re(\$(MEMD_[A-Z_]+))re", out);          // in shell commands that memd writes
  add_matches(source, R"re("\$\{([A-Z][A-Z0-9_]*):-)re", out);  // in the table of clients
  const std::regex list(R"re(\{("[A-Z_]+"(?:, "[A-Z_]+")*)\}\)\s*\n[^\n]*getenv\()re");
  for (auto it = std::sregex_iterator(source.begin(), source.end(), list); it != std::sregex_iterator(); ++it)
    add_matches((*it)[1], R"re("([A-Z_]+)")re", out);
  return out;
}

std::set<std::string> variables_of_the_sources() {
  std::string sources;
  for (const char* folder : {"schemas", "store", "adapters", "protocol", "daemon"})
    for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / folder))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
        sources += test::bytes_of(entry.path());
  std::set<std::string> out = variables_in(sources);
  // Descriptions of agents name folders by variables.
  for (const auto& entry : fs::directory_iterator(test::source_dir() / "adapters" / "described"))
    if (entry.path().extension() == ".yaml")
      add_matches(test::bytes_of(entry.path()), R"re(\$([A-Z][A-Z0-9_]*))re", out);
  return out;
}

// Returns the names in the first column of the table.
std::set<std::string> variables_of_the_page() {
  const std::string page = test::bytes_of(test::source_dir() / "docs/environment.md");
  std::set<std::string> out;
  const std::regex row(R"re(\n\| (`[A-Z][^|]*)\|)re");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), row); it != std::sregex_iterator(); ++it)
    add_matches((*it)[1], "`([A-Z][A-Z0-9_]*)`", out);
  return out;
}

TEST(Environment, ThePageNamesEveryVariableThatTheSourcesRead) {
  EXPECT_EQ(variables_of_the_page(), variables_of_the_sources());
}

TEST(Environment, VariablesAreFoundHoweverTheyAreRead) {
  EXPECT_THAT(variables_in("std::getenv(\"A_B\"); value_of(\"C\"); k = path_variable(\"D\"); home.places(\"E\", x); "
                           "home.roots_in(\"I\", y)"),
              testing::ElementsAre("A_B", "C", "D", "E", "I"));
  EXPECT_THAT(variables_in("for (const char* name : {\"F\", \"G\"})\n    if (std::getenv(name))"),
              testing::ElementsAre("F", "G"));
  EXPECT_THAT(variables_in("kFdVariable = \"H\"; \"[ $MEMD_X = off ]\"; say(\"NOT_ONE\")"),
              testing::ElementsAre("H", "MEMD_X"));
}

}  // namespace
}  // namespace memd::layering
