#include "test/adapters/golden_case.hpp"
#include "test/support/golden_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

// Checks that hold for every adapter, so that a new adapter is tested without a test of its own.
namespace memd {
namespace {

namespace fs = std::filesystem;

TEST(Registry, EveryPlatformHasItsAdapter) {
  ASSERT_EQ(all_adapters().size(), kPlatforms.size());
  for (const PlatformInfo& p : platforms())
    EXPECT_EQ(find_adapter(p.id)->describe().platform, p.id) << p.key;
}

TEST(Registry, AdaptersDescribeThemselves) {
  for (const Adapter* adapter : all_adapters()) {
    const AdapterDescription& d = adapter->describe();
    SCOPED_TRACE(to_string(d.platform));
    EXPECT_TRUE(supports_contract(d.contract_version));
    EXPECT_EQ(std::count(d.adapter_version.begin(), d.adapter_version.end(), '.'), 2) << "three numbers";
    EXPECT_EQ(d.status, AdapterStatus::active);
    EXPECT_NE(d.data_completeness, DataCompleteness::unknown);
    EXPECT_FALSE(d.storage_locations.empty());
    EXPECT_FALSE(d.capabilities.empty());
    EXPECT_EQ(std::set<Capability>(d.capabilities.begin(), d.capabilities.end()).size(), d.capabilities.size());
    EXPECT_FALSE(d.limitations.empty()) << "every agent's files leave something out";
    for (const std::string& limitation : d.limitations)
      EXPECT_TRUE(limitation.ends_with('.')) << limitation;
  }
}

// Nothing outside the user's home is read, and configured paths replace those in the home.
TEST(Registry, RootsStandWhereTheyShould) {
  const auto is_below = [](const fs::path& path, const std::string& folder) {
    return path == folder || path.string().starts_with(folder + "/");
  };
  for (const Adapter* adapter : all_adapters()) {
    SCOPED_TRACE(to_string(adapter->describe().platform));
    for (const fs::path& root : adapter->roots({"/home/ada", {}}))
      EXPECT_TRUE(is_below(root, "/home/ada")) << root;
    const auto named = adapter->roots({"/home/ada", {"/mnt/old"}});
    EXPECT_FALSE(named.empty());
    for (const fs::path& root : named)
      EXPECT_TRUE(is_below(root, "/mnt/old")) << root;
  }
}

// Each folder is a case that Golden reads, or a database that the platform's own test writes.
TEST(GoldenFolders, EveryPlatformHasCasesAndEachCaseIsRead) {
  static const std::set<std::string_view> kDatabases{"input.json", "input.sql", "storage"};
  for (const PlatformInfo& p : platforms()) {
    const Adapter& adapter = *find_adapter(p.id);
    const fs::path folder = test::golden_folder(adapter);
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    std::size_t cases = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!entry.is_directory()) continue;
      ++cases;
      const auto holds = [&](std::string_view name) { return fs::exists(entry.path() / name); };
      EXPECT_TRUE(holds("events.json") || test::updates_golden_files()) << entry.path();
      const bool is_database =
          holds("database.txt") || p.id == Platform::cursor || p.id == Platform::opencode || p.id == Platform::kilo;
      EXPECT_TRUE(is_database ? std::any_of(kDatabases.begin(), kDatabases.end(), holds)
                              : test::read_case(adapter, entry.path()).has_value())
          << entry.path()
          << " needs home/, input.jsonl and a source.txt, or input.sql and a database.txt that says where it lies";
    }
    EXPECT_GT(cases, 0U) << p.key;
  }
}

}  // namespace
}  // namespace memd
