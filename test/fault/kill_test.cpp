// Kills an ingesting process at random moments, again and again. The store it leaves opens at once, and in the end no
// event is lost or duplicated. MEMD_KILLS sets the number of kills.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string uuid(int file, int line) {
  std::string digits = std::to_string(line);
  return "0000000" + std::to_string(file % 10) + "-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

std::string record(int file, int line) {
  const std::string tail =
      R"(,"uuid":")" + uuid(file, line) +
      R"(","timestamp":"2026-02-09T06:01:53.253Z","cwd":"/w/p","sessionId":"s","version":"2.1.7","gitBranch":"main"})" +
      "\n";
  const std::string n = std::to_string(line);
  switch (line % 4) {
    case 0: return R"({"type":"user","message":{"role":"user","content":"question )" + n + R"("})" + tail;
    case 1:
      return R"({"type":"assistant","requestId":"r)" + n + R"(","message":{"id":"m)" + n +
             R"(","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t)" + n +
             R"(","name":"Bash","input":{"command":"go test ./pkg)" + n +
             R"("}}],"usage":{"input_tokens":1,"output_tokens":2}})" + tail;
    case 2:
      return R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t)" +
             std::to_string(line - 1) + R"(","content":"output )" + std::string(400, 'o') + R"("}]})" + tail;
    default:
      return R"({"type":"assistant","requestId":"q)" + n + R"(","message":{"id":"a)" + n +
             R"(","role":"assistant","model":"m","content":[{"type":"text","text":"answer )" + n +
             R"("}],"usage":{"input_tokens":1,"output_tokens":2}})" + tail;
  }
}

bool ingest(const fs::path& home, const fs::path& file) {
  const test::FakeClock clock;
  const Discovery discovery(all_adapters(), home, {}, {});
  IngestOptions options;
  options.tailer.slice_bytes = 16'384;  // many slices and commits, so that kills fall between them
  options.commit_bytes = 1;
  options.tailer.raw = RawMode::masked;
  auto writer = Writer::open(file, clock, file.parent_path() / "raw");
  if (!writer) return false;
  IngestService service(discovery, clock, options);
  if (!service.start(std::move(*writer))) return false;
  service.scan();
  return service.block_until_idle(60s);
}

// A process that is killed between the original records and its first commit leaves records that the next one writes
// again.
TEST(Kill, RecordsWrittenTwiceAreNotTakenForRewritten) {
  test::TempDir home;
  std::string text;
  for (int line = 0; line < 12; ++line)
    text += record(0, line);
  test::write_file(home / (".claude/projects/-w-p/" + uuid(0, 0) + ".jsonl"), text);
  test::TempDir store;
  ASSERT_TRUE(ingest(home.path(), store / "memd.db"));
  const auto dump = [&] {
    auto db = sqlite::Database::open(store / "memd.db", sqlite::OpenMode::read_only);
    return test::dump_store(db);
  };
  const auto want = dump();
  for (const auto& entry : fs::recursive_directory_iterator(store / "raw"))
    if (entry.is_regular_file()) {
      const std::string once = test::bytes_of(entry.path());
      test::write_file(entry.path(), once + once);
    }
  ASSERT_TRUE(rebuild_store(StoreLayout(store.path()), find_adapter));
  EXPECT_EQ(dump(), want);
}

TEST(Kill, AtRandomMomentsOfIngestLosesNothingAndDoublesNothing) {
  test::TempDir home;
  for (int file = 0; file < 6; ++file) {
    std::string text;
    for (int line = 0; line < 400; ++line)
      text += record(file, line);
    test::write_file(home / (".claude/projects/-w-p/" + uuid(file, 0) + ".jsonl"), text);
  }
  test::TempDir clean;
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(ingest(home.path(), clean / "memd.db"));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  auto clean_db = sqlite::Database::open(clean / "memd.db", sqlite::OpenMode::read_only);
  const auto want = test::dump_store(clean_db);

  std::mt19937 random(7);
  const int wanted = test::wanted_kills(6);
  int kills = 0;
  for (int round = 0; round < 3 * wanted + 10 && kills < wanted; ++round) {
    test::TempDir store;
    const fs::path file = store / "memd.db";
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::chrono::microseconds lifetime(200 + random() % static_cast<std::uint32_t>(whole.count()));
      kills += test::killed_during([&] { return ingest(home.path(), file); }, lifetime) ? 1 : 0;
      if (!fs::exists(file)) continue;
      auto db = sqlite::guard([&] { return sqlite::Database::open(file, sqlite::OpenMode::read_write); });
      ASSERT_TRUE(db) << db.error().message();
      const auto check = sqlite::guard([&] {
        sqlite::migrate(*db);
        sqlite::Statement integrity(db->handle(), "PRAGMA integrity_check");
        integrity.step();
        EXPECT_EQ(integrity.text(0), "ok");
        sqlite::Statement ledger(db->handle(),
                                 "SELECT count(*) FROM sources o WHERE cursor <> (SELECT coalesce(sum(bytes), 0) FROM"
                                 " coverage c WHERE c.source_pk = o.source_pk)");
        ledger.step();
        EXPECT_EQ(ledger.int64(0), 0);
      });
      ASSERT_TRUE(check) << check.error().message();
    }
    ASSERT_TRUE(ingest(home.path(), file));
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    EXPECT_EQ(test::dump_store(db), want);
    EXPECT_NO_THROW(test::check_full_text_index(db));
    // The raw layer survived the same kills and is complete.
    const auto rebuilt = rebuild_store(StoreLayout(store.path()), find_adapter);
    ASSERT_TRUE(rebuilt) << rebuilt.error().message();
    EXPECT_EQ(rebuilt->damaged_bytes, 0u);
    auto again = sqlite::Database::open(file, sqlite::OpenMode::read_only);
    EXPECT_EQ(test::dump_store(again), want);
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
}

}  // namespace
}  // namespace memd
