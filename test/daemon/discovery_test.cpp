#include "daemon/ingest/discovery.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <string_view>

namespace memd {
namespace {

using test::write_file;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class DiscoveryTest : public testing::Test {
 protected:
  Discovery discover(std::vector<fs::path> roots = {}) {
    return Discovery(adapters_, home_.path(), {{Platform::thunderus, std::move(roots)}}, {});
  }
  std::vector<std::string> names(const std::vector<SourceCandidate>& found) {
    std::vector<std::string> out;
    for (const auto& c : found)
      out.push_back(fs::relative(c.path, home_.path()).string());
    return out;
  }
  std::vector<std::string> names(const std::vector<fs::path>& directories) {
    std::vector<std::string> out;
    for (const auto& d : directories)
      out.push_back(fs::relative(d, home_.path()).string());
    return out;
  }

  test::TempDir home_;
  test::LineAdapter adapter_;
  std::array<const Adapter*, 1> adapters_{&adapter_};
};

TEST_F(DiscoveryTest, LooksOnlyIntoDirectoriesItsAdapterLooksInto) {
  write_file(home_ / "lines/a.jsonl", "1\n");
  write_file(home_ / "lines/private/b.jsonl", "1\n");
  write_file(home_ / "lines/open/private/c.jsonl", "1\n");
  const auto d = discover();
  EXPECT_THAT(names(d.find_all()), ElementsAre("lines/a.jsonl"));
  EXPECT_THAT(names(d.find(home_ / "lines/private")), ElementsAre());
  EXPECT_THAT(names(d.find(home_ / "lines/private/b.jsonl")), ElementsAre());
  EXPECT_FALSE(d.classify(home_ / "lines/open/private/c.jsonl"));
  EXPECT_THAT(names(d.directories()), UnorderedElementsAre("lines", "lines/open"));
}

TEST_F(DiscoveryTest, ProjectsAreRootsOfAgentsThatKeepTheirFilesThere) {
  for (const char* directory : {"kite", "kite/src", "weir"})
    write_file(home_ / directory / ".aider.chat.history.md", "# aider chat started at 2026-03-01 10:00:00\n");
  const Discovery d(all_adapters(), home_.path(), {}, {}, nullptr, {home_ / "kite"});
  EXPECT_THAT(names(d.find(home_.path())), ElementsAre("kite/.aider.chat.history.md"));
}

TEST_F(DiscoveryTest, ACompanionIsFoundAsItsMainFileOnce) {
  write_file(home_ / "lines/a.jsonl", "12345\n");
  write_file(home_ / "lines/a.jsonl-part", "1\n");
  const auto d = discover();
  const auto found = d.find_all();
  EXPECT_THAT(names(found), ElementsAre("lines/a.jsonl"));
  EXPECT_EQ(found.front().size, 6u) << "of the main file";
  EXPECT_EQ(d.classify(home_ / "lines/a.jsonl-part")->path, (home_ / "lines/a.jsonl").string());
  EXPECT_THAT(names(d.find(home_ / "lines/a.jsonl-part")), ElementsAre("lines/a.jsonl"));
}

TEST_F(DiscoveryTest, RootsMayBeFilesAndStandInEachOther) {
  write_file(home_ / "x/history.jsonl", "1\n");
  write_file(home_ / "x/other.jsonl", "1\n");
  write_file(home_ / "x/deep/b.jsonl", "1\n");
  const auto d = discover({home_ / "x/history.jsonl", home_ / "x/deep", home_ / "x/deep/", home_ / "x/deep/none"});
  EXPECT_EQ(d.roots().size(), 3u) << "the same root twice is one";
  EXPECT_THAT(names(d.find_all()), UnorderedElementsAre("x/history.jsonl", "x/deep/b.jsonl"));
  EXPECT_THAT(names(d.find(home_.path())), UnorderedElementsAre("x/history.jsonl", "x/deep/b.jsonl"));
  EXPECT_THAT(names(d.directories()), ElementsAre("x/deep"));
  EXPECT_EQ(d.root_of(home_ / "x/deep/new.jsonl")->path, home_ / "x/deep");
  EXPECT_EQ(d.root_of(home_ / "x/other.jsonl"), nullptr);
}

// An adapter with a home of its own, which a variable and profiles' names may move.
class WithProfiles final : public test::LineAdapter {
 public:
  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    auto roots = home.places("LINES_HOME", home.home / "lines");
    roots.push_back(home.home / "lines-*" / "deep");
    roots.push_back(home.home / "profiles/*/deep");
    return roots;
  }
};

TEST_F(DiscoveryTest, ProfilesAndTheDirectoryOfAVariableAreRoots) {
  for (const char* file : {"lines/a.jsonl", "lines-work/deep/b.jsonl", "lines-work/c.jsonl", "profiles/x/deep/d.jsonl",
                           "elsewhere/e.jsonl", "lines-/deep/f.jsonl"})
    write_file(home_ / file, "1\n");
  const WithProfiles with_profiles;
  adapters_[0] = &with_profiles;
  const Discovery d(adapters_, home_.path(), {}, {}, [&](const char* name) {
    return std::string_view(name) == "LINES_HOME" ? home_ / "elsewhere" : fs::path();
  });
  EXPECT_THAT(names(d.find_all()), UnorderedElementsAre("lines/a.jsonl", "lines-work/deep/b.jsonl",
                                                        "profiles/x/deep/d.jsonl", "elsewhere/e.jsonl"));
  EXPECT_TRUE(d.unread_places().empty());
  write_file(home_ / "lines-late/deep/g.jsonl", "1\n");
  ASSERT_EQ(d.unread_places().size(), 1U);
  EXPECT_THAT(d.unread_places()[0].what, testing::HasSubstr("lines-late/deep"));
  EXPECT_THAT(names(discover({home_ / "lines"}).find_all()), ElementsAre("lines/a.jsonl"));
}

TEST_F(DiscoveryTest, LinksAreFollowedIntoEachPlaceOnce) {
  write_file(home_ / "lines/a.jsonl", "1\n");
  write_file(home_ / "disk/deep/b.jsonl", "1\n");
  write_file(home_ / "disk/c.jsonl", "1\n");
  write_file(home_ / "other/d.jsonl", "1\n");
  fs::create_directories(home_ / "lines/folder.jsonl");
  fs::create_directory_symlink("../disk", home_ / "lines/linked");
  fs::create_directory_symlink("../disk", home_ / "lines/twice");
  fs::create_directory_symlink(".", home_ / "lines/loop");
  fs::create_directory_symlink(".", home_ / "disk/loop");
  fs::create_directory_symlink("..", home_ / "lines/above");
  fs::create_symlink("../other/d.jsonl", home_ / "lines/file.jsonl");
  fs::create_symlink("a.jsonl", home_ / "lines/a2.jsonl");
  fs::create_symlink("none.jsonl", home_ / "lines/dangling.jsonl");
  fs::create_symlink("/dev/zero", home_ / "lines/device.jsonl");
  ASSERT_EQ(::mkfifo((home_ / "lines/fifo.jsonl").c_str(), 0600), 0);
  const auto found = Discovery(adapters_, home_.path(), {}, {}).find_all();
  std::vector<std::string> real;
  for (const auto& source : found)
    real.push_back(fs::relative(fs::canonical(source.path), home_.path()).string());
  EXPECT_THAT(real, UnorderedElementsAre("lines/a.jsonl", "disk/deep/b.jsonl", "disk/c.jsonl", "other/d.jsonl"));
}

TEST_F(DiscoveryTest, ALinkOutOfAConfiguredDirectoryIsNamed) {
  write_file(home_ / "lines/a.jsonl", "1\n");
  write_file(home_ / "disk/b.jsonl", "1\n");
  fs::create_directory_symlink("../disk", home_ / "lines/linked");
  const auto d = discover({home_ / "lines"});
  EXPECT_THAT(names(d.find_all()), ElementsAre("lines/a.jsonl"));
  const auto unread = d.unread_places();
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_THAT(unread[0].what, testing::HasSubstr("lines/linked"));
  EXPECT_THAT(unread[0].remedy, testing::HasSubstr((home_ / "disk").string() + " in platforms.thunderus.paths"));
}

// An adapter that deletes directories while it is asked about them, as an agent might do meanwhile.
class Vanishing final : public test::LineAdapter {
 public:
  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    if (directory.filename().native().starts_with("gone")) fs::remove_all(directory);
    return LineAdapter::looks_into(root, directory);
  }
};

TEST_F(DiscoveryTest, ADirectoryThatGoesMeanwhileHidesNoOther) {
  std::vector<std::string> kept;
  for (int i = 0; i < 8; ++i) {
    write_file(home_ / ("lines/gone" + std::to_string(i) + "/a.jsonl"), "1\n");
    kept.push_back("lines/kept" + std::to_string(i) + "/a.jsonl");
    write_file(home_ / kept.back(), "1\n");
  }
  const Vanishing vanishing;
  adapters_[0] = &vanishing;
  EXPECT_THAT(names(discover().find_all()), testing::UnorderedElementsAreArray(kept));
}

class OtherContract final : public test::LineAdapter {
 public:
  explicit OtherContract(std::string version) { description_.contract_version = std::move(version); }
};

TEST_F(DiscoveryTest, AnAdapterOfAnotherContractIsNotUsed) {
  write_file(home_ / "lines/a.jsonl", "1\n");
  const OtherContract next("2.0.0");
  const OtherContract minor("1.7.3");
  const OtherContract none("");
  for (const auto& [adapter, usable] :
       {std::pair<const Adapter*, bool>{&next, false}, {&minor, true}, {&none, false}}) {
    const std::array<const Adapter*, 1> adapters{adapter};
    const Discovery d(adapters, home_.path(), {}, {});
    EXPECT_EQ(d.find_all().size(), usable ? 1u : 0u);
    EXPECT_EQ(d.unsupported().size(), usable ? 0u : 1u);
    EXPECT_EQ(d.adapter(Platform::thunderus), usable ? adapter : nullptr);
  }
}

}  // namespace
}  // namespace memd
