// Every test that docs/requirements.md names exists.
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::layering {
namespace {

namespace fs = std::filesystem;

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Returns "Suite.Name" and "Suite.*" in backticks, in order.
std::vector<std::string> tests_named(std::string_view page) {
  std::vector<std::string> out;
  while (true) {
    const auto open = page.find('`');
    const auto close = open == std::string_view::npos ? open : page.find('`', open + 1);
    if (close == std::string_view::npos) return out;
    const std::string_view span = page.substr(open + 1, close - open - 1);
    page.remove_prefix(close + 1);
    const auto dot = span.find('.');
    if (dot == std::string_view::npos || !is_word(span.substr(0, dot)) || std::islower(span.front()) != 0) continue;
    const std::string_view name = span.substr(dot + 1);
    if (name == "*" || is_word(name)) out.emplace_back(span);
  }
}

// Adds the tests of a source, and "Suite.*" for each suite.
void add_tests(std::string_view source, std::set<std::string>& out) {
  for (const std::string_view macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
    for (auto at = source.find(macro); at != std::string_view::npos; at = source.find(macro, at + 1)) {
      const auto open = at + macro.size();
      const std::string_view inside = source.substr(open, source.find(')', open) - open);
      const auto comma = inside.find(", ");
      if (comma == std::string_view::npos) continue;
      const std::string suite(inside.substr(0, comma));
      out.insert(suite + "." + std::string(inside.substr(comma + 2)));
      out.insert(suite + ".*");
    }
}

TEST(Requirements, NameTestsThatAreThere) {
  const fs::path root = test::source_dir();
  std::set<std::string> there;
  for (const auto& entry : fs::recursive_directory_iterator(root / "test"))
    if (entry.path().extension() == ".cpp") add_tests(test::bytes_of(entry.path()), there);
  ASSERT_TRUE(there.contains("Requirements.NameTestsThatAreThere"));
  const auto named = tests_named(test::bytes_of(root / "docs/requirements.md"));
  EXPECT_GT(named.size(), 80U);
  std::vector<std::string> missing;
  for (const std::string& test : named)
    if (!there.contains(test)) missing.push_back(test);
  EXPECT_THAT(missing, testing::IsEmpty());
}

}  // namespace
}  // namespace memd::layering
