#pragma once

#include "daemon/ingest/ingest_service.hpp"
#include "store/reader.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace memd::test {

// Reads all that `discovery` finds into a store at `database`, which may be there already. A failure is one of the
// test.
inline IngestSnapshot ingest(const Discovery& discovery, const std::filesystem::path& database,
                             const IngestOptions& options = {}) {
  const FakeClock clock;
  auto writer = Writer::open(database, clock);
  EXPECT_TRUE(writer);
  if (!writer) return {};
  IngestService service(discovery, clock, options);
  EXPECT_TRUE(service.start(std::move(*writer)));
  service.scan();
  EXPECT_TRUE(service.block_until_idle(std::chrono::minutes(5)));
  EXPECT_EQ(service.progress().snapshot().last_error, "");
  return service.progress().snapshot();
}

// What an independent reader counted in the corpus.
inline boost::json::object corpus_reference() {
  std::ifstream in(corpus_home().parent_path() / "reference.json", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return boost::json::parse(text.str()).as_object();
}

// Tests that only look at what all agents left in the corpus. It is read once a process; without one they are skipped.
class CorpusStore : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(corpus_home() / ".codex"))
      GTEST_SKIP() << "no corpus at " << corpus_home() << " (set MEMD_CORPUS)";
  }
  static const std::filesystem::path& database() {
    static const TempDir dir;
    static const std::filesystem::path file = [] {
      const auto path = dir / "memd.db";
      ingest(Discovery(all_adapters(), corpus_home(), {}, {}), path);
      return path;
    }();
    return file;
  }
};

}  // namespace memd::test
