// Ingests the golden cases of all agents from a home directory, as ingest reads those of people.
#include "adapters/adapter.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class GoldenHomes : public testing::TestWithParam<Platform> {
 protected:
  // The place in a home directory of a file that a case has below /home/ada.
  static fs::path place(const test::TempDir& home, const std::string& path) {
    return home / path.substr(test::kGoldenHome.size() + 1);
  }

  // Some agents write no time: memd takes that of the file.
  static void append(const fs::path& file, std::string_view text) {
    test::append_file(file, text);
    fs::last_write_time(file, fs::file_time_type(1'700'000'000s));
  }

  static Discovery discovery(const test::TempDir& home) { return Discovery(all_adapters(), home.path(), {}, {}); }
};

TEST_P(GoldenHomes, ASecondIngestReadsNothing) {
  for (const test::GoldenCase& golden : test::golden_cases(*find_adapter(GetParam()))) {
    SCOPED_TRACE(golden.folder.string());
    const test::TempDir home;
    const test::TempDir store;
    for (const std::string& path : golden.files.paths())
      append(place(home, path), golden.files.text(path));
    const auto first = test::ingest(discovery(home), store / "memd.db");
    const auto second = test::ingest(discovery(home), store / "memd.db");
    EXPECT_EQ(first.sources, second.sources);
    EXPECT_EQ(second.events, 0U);
    EXPECT_EQ(second.duplicates, 0U);
  }
}

// Of some cases the rows depend on what was read first: turns that an agent takes back stay once memd has read them,
// and the tokens of a helper are counted apart only if its log is there before its parent's turn ends.
bool grows_alike(const test::GoldenCase& golden) {
  const std::string folder = golden.folder.string();
  return !folder.ends_with("gemini/log_repeats_and_rewind") && !folder.ends_with("copilot_chat/log") &&
         !folder.ends_with("grok/helper");
}

// Logs grow line by line; what else a case has is there from the start.
TEST_P(GoldenHomes, GrownLineByLineItHasTheSameRows) {
  for (const test::GoldenCase& golden : test::golden_cases(*find_adapter(GetParam()))) {
    if (!grows_alike(golden)) continue;
    SCOPED_TRACE(golden.folder.string());
    const test::TempDir home;
    const test::TempDir store;
    const auto is_log = [](const std::string& path) { return path.ends_with(".jsonl"); };
    for (const std::string& path : golden.files.paths())
      if (!is_log(path)) append(place(home, path), golden.files.text(path));
    const test::FakeClock clock;
    const Discovery places = discovery(home);
    auto writer = Writer::open(store / "grown.db", clock);
    ASSERT_TRUE(writer);
    auto service = std::make_unique<IngestService>(places, clock);
    ASSERT_TRUE(service->start(std::move(*writer)));
    service->scan();
    ASSERT_TRUE(service->block_until_idle(60s));
    for (const std::string& path : golden.files.paths()) {
      if (!is_log(path)) continue;
      std::string_view rest = golden.files.text(path);
      while (!rest.empty()) {
        const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
        rest.remove_prefix(line.size());
        append(place(home, path), line);
        service->hint(place(home, path));
        ASSERT_TRUE(service->block_until_idle(60s));
      }
    }
    service.reset();
    test::ingest(discovery(home), store / "whole.db");
    auto grown = sqlite::Database::open(store / "grown.db", sqlite::OpenMode::read_only);
    auto whole = sqlite::Database::open(store / "whole.db", sqlite::OpenMode::read_only);
    const auto have = test::dump_store(grown);
    const auto want = test::dump_store(whole);
    EXPECT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < std::min(have.size(), want.size()); ++i)
      EXPECT_EQ(have[i], want[i]);
  }
}

std::vector<Platform> agents() {
  std::vector<Platform> out;
  for (const PlatformInfo& platform : kPlatforms)
    out.push_back(platform.id);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Platforms, GoldenHomes, testing::ValuesIn(agents()),
                         [](const auto& platform) { return std::string(to_string(platform.param)); });

}  // namespace
}  // namespace memd
