// Ingests real transcripts into the raw layer, deletes their sources, and rebuilds the store from it. Skipped without a
// corpus.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "store/raw/raw_file.hpp"
#include "store/read/exchanges.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"
#include "test/support/corpus.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Returns the rows of the store, with the ids and times that answers show. A rebuild has no source to prove again.
std::vector<std::string> dump(const fs::path& file) {
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
  auto out = test::dump_store(db);
  for (const char* sql :
       {"SELECT source_pk, platform, path, format, state, state_reason, device, inode, head_hash, head_length, size, "
        "mtime,"
        " cursor, generation, open_tail, session_uid, mark, failures, retry_at FROM sources ORDER BY source_pk",
        "SELECT * FROM sessions ORDER BY session_pk",
        "SELECT exchange_pk, session_pk, exchange_number, raw_format_version, adapter_version, ingested_at FROM "
        "exchanges"
        " ORDER BY exchange_pk",
        "SELECT * FROM observations ORDER BY observation_pk", "SELECT * FROM decisions ORDER BY observation_pk",
        "SELECT * FROM projects ORDER BY project_pk", "SELECT * FROM diagnostics ORDER BY diagnostic_pk",
        "SELECT * FROM raw_frames ORDER BY first_number",
        "SELECT name, length, last_number FROM raw_files ORDER BY name"}) {
    sqlite::Statement q(db.handle(), sql);
    const bool frames = std::string_view(sql).find("raw_frames") != std::string_view::npos;
    while (q.step()) {
      std::string row;
      for (int i = frames ? 1 : 0; i < sqlite3_data_count(q.handle()); ++i)
        row += (q.is_null(i) ? std::string("NULL") : q.str(i)) + "|";
      out.push_back(std::move(row));
    }
  }
  return out;
}

class CorpusRebuild : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::corpus_home() / ".claude")) GTEST_SKIP() << "no corpus (set MEMD_CORPUS)";
    fs::copy(test::corpus_home() / ".claude", home_ / ".claude", fs::copy_options::recursive);
  }
  void ingest(RawMode mode) {
    const Discovery discovery(all_adapters(), home_.path(), {}, {});
    auto writer = Writer::open(layout_.database(), system_clock(), layout_.raw_dir());
    ASSERT_TRUE(writer) << writer.error().message();
    IngestOptions options;
    options.tailer.raw = mode;
    IngestService service(discovery, system_clock(), options);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(300s));
    ASSERT_EQ(service.progress().snapshot().last_error, "");
  }

  test::TempDir home_;
  test::TempDir data_;
  StoreLayout layout_{data_.path()};
};

TEST_F(CorpusRebuild, GivesTheSameRowsWithTheSourcesGone) {
  ingest(RawMode::masked);
  const auto want = dump(layout_.database());
  ASSERT_GT(want.size(), 40'000u);
  std::uint64_t source_bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(home_.path()))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl") source_bytes += entry.file_size();
  std::uint64_t raw_bytes = 0;
  for (const auto& name : raw::raw_file_names(layout_.raw_dir()))
    raw_bytes += fs::file_size(layout_.raw_dir() / name);
  EXPECT_LT(raw_bytes, source_bytes * 15 / 100);

  fs::remove_all(home_ / ".claude");
  for (const char* suffix : {"", "-wal", "-shm"})
    fs::remove(layout_.database().string() + suffix);
  const auto report = rebuild_store(layout_, find_adapter);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->bytes, source_bytes);
  const auto have = dump(layout_.database());
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(have[i], want[i]);
  auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(db));
}

TEST_F(CorpusRebuild, FullTextsOutliveTheTranscripts) {
  ingest(RawMode::masked);
  auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_only);
  Reader reader(layout_.database());
  struct Sample {
    EventSource where;
    EventKind kind{};
    std::string text;
  };
  std::vector<Sample> samples;
  sqlite::Statement q(db.handle(),
                      "SELECT session_pk, seq, kind FROM events WHERE kind IN (2, 3, 4) AND flags & 128 = 0"
                      " AND (session_pk * 31 + seq) % 97 = 0");
  while (q.step()) {
    const auto where = reader.ask(EventSourceQuery{q.int64(0), q.int64(1)});
    ASSERT_TRUE(where);
    const auto kind = static_cast<EventKind>(q.int64(2));
    auto text = read_event_text(where->platform, where->path, kind, where->raw);
    if (!text || text->starts_with("<persisted-output>")) continue;
    redact(*text);
    samples.push_back({*where, kind, std::move(*text)});
  }
  ASSERT_GT(samples.size(), 100u);
  fs::remove_all(home_ / ".claude");
  raw::RawArchive archive(layout_.database(), layout_.raw_dir());
  for (auto& s : samples) {
    auto text = read_archived_text(archive, s.where, s.kind);
    ASSERT_TRUE(text) << text.error().message();
    redact(*text);
    EXPECT_EQ(*text, s.text) << s.where.path << " at " << s.where.raw.offset;
    EXPECT_LE(archive.cached_bytes(), 32u << 20);
  }
}

}  // namespace
}  // namespace memd
