// Full ingest of real databases and documents of all platforms that change them in place. Skipped without a corpus.
#include "test/support/corpus_store.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using namespace std::chrono_literals;

const std::vector<Platform> kLogsOnly{Platform::claude_code, Platform::codex};

IngestSnapshot ingest(const std::filesystem::path& file, const IngestOptions& options) {
  return test::ingest(Discovery(all_adapters(), test::corpus_home(), {}, kLogsOnly), file, options);
}

TEST(InPlaceCorpus, LedgersAreExactAndASecondLookReadsNothing) {
  if (!std::filesystem::exists(test::corpus_home() / ".config")) GTEST_SKIP() << "no corpus";
  test::TempDir dir;
  ingest(dir / "memd.db", {});
  auto db = sqlite::Database::open(dir / "memd.db", sqlite::OpenMode::read_write);
  test::check_full_text_index(db);
  int in_place = 0;
  sqlite::Statement q(db.handle(),
                      "SELECT path, size, cursor, (SELECT coalesce(sum(bytes), 0) FROM coverage c WHERE c.source_pk ="
                      " o.source_pk), mark <> '', state FROM sources o");
  while (q.step()) {
    EXPECT_EQ(q.int64(1), q.int64(2)) << q.text(0);
    EXPECT_EQ(q.int64(1), q.int64(3)) << q.text(0);
    EXPECT_EQ(q.int64(5), 0) << q.text(0);
    in_place += q.int64(4) != 0 ? 1 : 0;
  }
  EXPECT_GE(in_place, 3);
  const auto rows = test::dump_store(db);

  const auto again = ingest(dir / "memd.db", {});
  EXPECT_EQ(again.bytes_read, 0u);
  EXPECT_EQ(again.commits, 0u);

  test::TempDir other;
  IngestOptions tiny;
  tiny.snapshot = {20'000, 64 << 20, 3};
  tiny.pass_pause = {0ms, 0ms};
  tiny.commit_bytes = 1;
  ingest(other / "memd.db", tiny);
  auto sliced = sqlite::Database::open(other / "memd.db", sqlite::OpenMode::read_write);
  EXPECT_EQ(test::dump_store(sliced), rows);
}

}  // namespace
}  // namespace memd
