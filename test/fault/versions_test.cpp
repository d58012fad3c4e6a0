// Two versions of memd on one store: the schema is newer, or older, than this memd knows.
#include "daemon/serve/instance_lock.hpp"
#include "schemas/base/embedded.hpp"
#include "store/db/database.hpp"
#include "test/fault/memd_process.hpp"
#include "test/fault/prepared_store.hpp"
#include "test/support/line_client.hpp"
#include "test/support/mixed_store.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class Versions : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    home_.turn("/w/p", 1, kLongAgo, "keptword", "Why keptword?", "Because.");
    write_file(dir_ / "config.yaml", "embedding:\n  provider: disabled\n");
    const Ending first = memd({"ingest", "--once"});
    ASSERT_EQ(first.code, 0) << first.said;
  }
  void TearDown() override { memd({"stop"}); }

  Ending memd(std::vector<std::string> arguments, ProcessEnds ends = {}) {
    for (const auto& more : {"--data-dir", data_.path().c_str(), "--home", home_.path().c_str(), "--config"})
      arguments.emplace_back(more);
    arguments.push_back((dir_ / "config.yaml").string());
    MemdProcess process(arguments, dir_ / "said", {}, ends);
    const auto ended = process.wait(60s);
    EXPECT_TRUE(ended) << arguments.front() << " still runs";
    return ended.value_or(Ending());
  }
  void set_version(std::int64_t version) {
    auto db = sqlite::Database::open(store_.database(), sqlite::OpenMode::read_write);
    db.exec(("PRAGMA user_version = " + std::to_string(version)).c_str());
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  // Writes to a file what a program has on stdin, and returns an end of it.
  int stdin_of(const std::string& text) {
    write_file(dir_ / "stdin", text);
    return ::open((dir_ / "stdin").c_str(), O_RDONLY | O_CLOEXEC);
  }

  TranscriptHome home_;
  TempDir data_;
  TempDir dir_;
  const StoreLayout store_{data_.path()};
};

TEST_F(Versions, AStoreOfANewerMemdIsLeftAloneAndSaidToBe) {
  set_version(newest_schema_version() + 1);
  const std::string before = bytes_of(store_.database());
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"search", "keptword"}, {"ingest", "--once"}, {"sessions"}, {"forget", "--project", "p", "--yes"}}) {
    const Ending ended = memd(command);
    EXPECT_EQ(ended.code, 1) << command.front() << ended.said;
    EXPECT_THAT(ended.said, HasSubstr("install the newer memd")) << command.front();
  }
  // A hook blocks nobody.
  const int hook_in =
      stdin_of(R"({"hook_event_name":"SessionStart","source":"startup","session_id":"s","cwd":"/w/p"})");
  const Ending hook = memd({"hook", "session-start"}, {hook_in, -1});
  ::close(hook_in);
  EXPECT_EQ(hook.code, 0);
  EXPECT_EQ(hook.said, "");
  EXPECT_EQ(bytes_of(store_.database()), before) << "the store is untouched";
  set_version(newest_schema_version());
  EXPECT_THAT(memd({"search", "keptword"}).said, HasSubstr("keptword"));
}

// No release wrote such a store. Its tables are another memd's: only the original records count.
TEST_F(Versions, AStoreOfAnEarlierMemdIsLeftAloneAndMadeAnewByARebuild) {
  const auto rows = dump_with_keys(store_);
  {
    auto db = sqlite::Database::open(store_.database(), sqlite::OpenMode::read_write);
    db.exec("DROP TABLE exchanges_fts; ALTER TABLE sessions RENAME TO sessions_of_old");
  }
  set_version(20);
  const std::string before = bytes_of(store_.database());
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"search", "keptword"}, {"ingest", "--once"}, {"sessions"}}) {
    const Ending ended = memd(command);
    EXPECT_EQ(ended.code, 1) << command.front() << ended.said;
    EXPECT_THAT(ended.said, HasSubstr("made by an earlier memd: make it anew with `memd rebuild`")) << command.front();
  }
  EXPECT_EQ(bytes_of(store_.database()), before) << "the store is untouched";
  const Ending rebuilt = memd({"rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.said;
  EXPECT_EQ(dump_with_keys(store_), rows);
  EXPECT_TRUE(std::filesystem::exists(store_.before_rebuild())) << "the old one is kept";
  EXPECT_THAT(memd({"search", "keptword"}).said, HasSubstr("Why keptword?"));
}

}  // namespace
}  // namespace memd::test
