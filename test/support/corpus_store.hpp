#pragma once

#include "daemon/ingest/ingest_service.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <chrono>
#include <filesystem>
#include <string>

namespace memd::test {

// Reads all sources of `discovery` into the store at `database`, which may exist already. A failure fails the test.
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

// Returns the corpus counts of an independent reader.
inline boost::json::object corpus_reference() {
  return boost::json::parse(bytes_of(corpus_home().parent_path() / "reference.json")).as_object();
}

// A read-only store of the whole corpus, built once per process. Tests are skipped if there is no corpus.
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
