// Records in the raw layer: committed with the rows, truncated, merged, lost and recovered, evicted.
#include "daemon/ingest/rebuild.hpp"
#include "daemon/ingest/tailer.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/raw/raw_file.hpp"
#include "store/write/retention.hpp"
#include "store/write/writer.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/ciphers.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

namespace memd {
namespace {

namespace fs = std::filesystem;
using test::append_file;
using test::write_file;

// Each test runs with plain and with sealed frames.
class RawLayerTest : public testing::TestWithParam<bool> {
 protected:
  RawLayerTest() { open(); }

  void open() {
    writer_.reset();
    auto writer = Writer::open(layout_.database(), clock_, layout_.raw_dir(), cipher_);
    ASSERT_TRUE(writer) << writer.error().message();
    writer_ = std::move(*writer);
    sources_.clear();
    auto known = writer_->sources();
    ASSERT_TRUE(known);
    for (auto& s : *known)
      sources_[s.path] = s;
  }
  fs::path file(const std::string& name) const { return dir_ / ("lines/" + name + ".jsonl"); }
  // Ingests the new part of a file, and commits it unless told not to.
  void take(const std::string& name, bool commit = true) {
    Source& source = sources_[file(name).string()];
    source.platform = Platform::thunderus;
    source.path = file(name).string();
    for (bool more = true; more;) {
      auto outcome = tailer_.next(source, adapter_);
      ASSERT_TRUE(outcome) << outcome.error().message();
      more = outcome->more;
      if (!outcome->slice) break;
      clock_.advance(7);
      ASSERT_TRUE(writer_->apply(*outcome->slice));
      source.id = outcome->slice->source.id;
    }
    clock_.advance(3);
    if (commit) {
      ASSERT_TRUE(writer_->commit());
    }
  }
  fs::path raw_file(const std::string& name) const { return layout_.raw_dir() / raw_name(name); }
  static std::string raw_name(const std::string& name) { return "platform=thunderus/" + name + ".jsonl.zst"; }
  std::string content(const std::string& name) {
    const auto mapped = raw::FileBytes::open(raw_file(name));
    if (!mapped) return "(none)";
    raw::FrameCodec codec;
    std::string out;
    for (const auto& f : scan(name, *mapped)) {
      EXPECT_EQ(f.is_sealed, GetParam());
      if (f.frame.content_size == 0) continue;
      const auto bytes = mapped->bytes().substr(f.offset);
      const auto frame = seal_.parse(bytes, {raw_name(name), f.offset});
      EXPECT_TRUE(frame);
      auto part = codec.unpack(frame->packed_content(bytes), f.frame.header.content_bytes());
      EXPECT_TRUE(part);
      if (part) out += *part;
    }
    return out;
  }
  std::vector<raw::FrameAt> scan(const std::string& name, const raw::FileBytes& mapped) {
    return raw::scan_frames(mapped.bytes(), raw_name(name), seal_).value().frames;
  }
  std::size_t frames(const std::string& name) {
    const auto mapped = raw::FileBytes::open(raw_file(name));
    return mapped ? scan(name, *mapped).size() : 0;
  }
  Result<RebuildReport> rebuild() {
    return rebuild_store(layout_, [this](Platform) { return &adapter_; }, {.cipher = cipher_});
  }
  std::vector<std::string> rows(const char* sql) {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_only);
    std::vector<std::string> out;
    sqlite::Statement q(db.handle(), sql);
    while (q.step()) {
      std::string row;
      for (int i = 0; i < sqlite3_data_count(q.handle()); ++i)
        row += q.str(i) + "|";
      out.push_back(row);
    }
    return out;
  }
  std::int64_t number(const char* sql) {
    const auto r = rows(sql);
    return r.empty() ? -1 : std::stoll(r.front());
  }
  std::vector<std::string> dump() {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_only);
    auto out = test::dump_store(db);
    for (const char* sql :
         {"SELECT source_pk, path, identity.* FROM sources JOIN (SELECT source_pk AS pk, device, inode, head_hash,"
          " head_length, mtime, generation, open_tail, session_uid FROM sources) identity ON pk = source_pk",
          "SELECT session_pk, uid, discovered_at, ingested_at FROM sessions",
          "SELECT exchange_pk, session_pk, ingested_at, adapter_version FROM exchanges",
          "SELECT error_type, source_pk, raw_offset, time FROM diagnostics ORDER BY diagnostic_pk"})
      for (auto& row : rows(sql))
        out.push_back(row);
    return out;
  }
  static constexpr const char* kFrameRows =
      "SELECT f.name, f.length, f.last_number, r.file_offset, r.file_length, r.first_number, r.last_number, "
      "r.source_pk,"
      " r.range_first, r.range_end, r.bytes FROM raw_files f JOIN raw_frames r USING (file_pk) ORDER BY 1, 4";

  test::TempDir dir_;
  StoreLayout layout_{dir_.path()};
  test::FakeClock clock_;
  test::LineAdapter adapter_;
  const std::shared_ptr<seal::LazyCipher> cipher_ = GetParam() ? test::cipher_of_key('1') : nullptr;
  const raw::FrameSeal seal_{cipher_};
  TailerLimits limits_{4096, 1 << 16, RawMode::masked};
  Tailer tailer_{limits_};
  std::unique_ptr<Writer> writer_;
  std::map<std::string, Source> sources_;
};

TEST_P(RawLayerTest, HoldsTheRecordsOfWhatIsCommitted) {
  write_file(file("a"), "one\ntwo\n{\"last\":1}");
  write_file(file("b"), "other\n");
  take("a");
  take("b", false);
  EXPECT_EQ(content("a"), "one\ntwo\n{\"last\":1}");
  EXPECT_EQ(content("b"), "(none)");
  ASSERT_TRUE(writer_->commit());
  append_file(file("a"), "\nfour\n");
  take("a");
  EXPECT_EQ(content("a"), "one\ntwo\n{\"last\":1}\nfour\n");
  EXPECT_EQ(content("b"), "other\n");
  struct stat st {};
  ASSERT_EQ(::stat(raw_file("a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(layout_.raw_dir().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
}

TEST_P(RawLayerTest, WhatACrashLeftBehindIsCut) {
  write_file(file("a"), "one\n");
  take("a");
  const auto length = fs::file_size(raw_file("a"));
  append_file(raw_file("a"), "torn");
  open();
  EXPECT_EQ(fs::file_size(raw_file("a")), length + 4);  // not read, and truncated by the next write
  append_file(file("a"), "two\n");
  take("a");
  EXPECT_EQ(content("a"), "one\ntwo\n");
  // A complete frame that was never committed.
  std::string bytes;
  {
    const auto mapped = raw::FileBytes::open(raw_file("a"));
    bytes = mapped->bytes();
  }
  append_file(file("a"), "three\n");
  take("a");
  std::string later;
  {
    const auto mapped = raw::FileBytes::open(raw_file("a"));
    later = mapped->bytes();
  }
  auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_write);
  db.exec(("UPDATE raw_files SET last_number = 2, length = " + std::to_string(bytes.size())).c_str());
  db.exec("DELETE FROM raw_frames WHERE first_number = 3");
  open();
  EXPECT_EQ(rows(kFrameRows).size(), 2u);
  EXPECT_EQ(number("SELECT cursor FROM sources"), 14) << "nothing was lost";
}

TEST_P(RawLayerTest, AFileThatLostItsEndHasItsSourceReadAgain) {
  write_file(file("a"), "one\n");
  take("a");
  append_file(file("a"), "two\n");
  take("a");
  const auto before = number("SELECT count(*) FROM events");
  fs::resize_file(raw_file("a"), fs::file_size(raw_file("a")) - 3);
  open();
  EXPECT_EQ(number("SELECT cursor FROM sources"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM coverage"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM diagnostics WHERE error_type = 'raw_layer_lost'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM ingestion_log WHERE what = 'raw_layer_lost'"), 1);
  take("a");
  EXPECT_EQ(number("SELECT count(*) FROM events"), before);
  EXPECT_EQ(number("SELECT cursor FROM sources"), 8);
  EXPECT_EQ(number("SELECT sum(bytes) FROM coverage"), 8);
  EXPECT_TRUE(content("a").ends_with("one\ntwo\n")) << content("a");
}

TEST_P(RawLayerTest, ItsTablesCanBeMadeAgainFromTheFiles) {
  for (const char* name : {"a", "b"}) {
    write_file(file(name), std::string(name) + " one\n");
    take(name);
    append_file(file(name), "two\n");
    take(name);
  }
  const auto want = rows(kFrameRows);
  ASSERT_EQ(want.size(), 4u);
  {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_write);
    db.exec("DELETE FROM raw_frames");
    db.exec("DELETE FROM raw_files");
  }
  open();
  EXPECT_EQ(rows(kFrameRows), want);
}

TEST_P(RawLayerTest, SmallFramesAreMergedAndARebuildSeesNoDifference) {
  std::string all;
  for (int i = 0; i < 200; ++i) {
    const std::string line = "line number " + std::to_string(i) + " of a session that grows slowly\n";
    all += line;
    append_file(file("a"), line);
    take("a");
    if (i % 3 == 0) {
      append_file(file("b"), line);
      take("b");
    }
  }
  EXPECT_LT(frames("a"), 70u);
  EXPECT_EQ(content("a"), all);
  clock_.advance(2 * 60 * 60 * 1000);
  ASSERT_TRUE(writer_->maintain());
  EXPECT_EQ(frames("a"), 1u);
  EXPECT_EQ(frames("b"), 1u);
  EXPECT_EQ(content("a"), all);
  EXPECT_LT(fs::file_size(raw_file("a")), all.size() / 3);
  EXPECT_EQ(number("SELECT count(*) FROM raw_frames"), 2);

  const auto want = dump();
  writer_.reset();
  fs::remove_all(dir_ / "lines");
  fs::remove(layout_.database());
  const auto report = rebuild();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->slices, 267u);
  EXPECT_EQ(dump(), want);
}

TEST_P(RawLayerTest, ACrashInTheMiddleOfMergingIsRepaired) {
  for (int i = 0; i < 40; ++i) {
    append_file(file("a"), "line " + std::to_string(i) + "\n");
    take("a");
  }
  ASSERT_TRUE(writer_->commit());
  writer_.reset();
  fs::copy_file(layout_.database(), dir_ / "before.db");  // the rows from before the merge
  const std::string all = content("a");
  open();
  clock_.advance(2 * 60 * 60 * 1000);
  ASSERT_TRUE(writer_->maintain());
  ASSERT_EQ(frames("a"), 1u);
  const auto want = rows(kFrameRows);
  writer_.reset();
  for (const char* suffix : {"", "-wal", "-shm"})
    fs::remove(layout_.database().string() + suffix);
  fs::rename(dir_ / "before.db", layout_.database());
  const fs::path unfinished = raw_file("a").string() + ".new";
  write_file(unfinished, "half a file");
  open();
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_EQ(rows(kFrameRows), want);
  EXPECT_EQ(number("SELECT cursor FROM sources"), static_cast<std::int64_t>(all.size()));
  append_file(file("a"), "more\n");
  take("a");
  EXPECT_EQ(content("a"), all + "more\n");
}

TEST_P(RawLayerTest, RebuildTellsTruncationReplacementAndLongRecordsAsTheyWere) {
  write_file(file("a"), "one\n!odd\ntwo\n");
  take("a");
  write_file(file("a"), "new\n");
  take("a");
  write_file(file("a"), "");
  take("a");
  write_file(file("a"), "after\n" + std::string(100'000, 'x') + "\nend}");
  take("a");
  append_file(file("a"), "\nand on\n");
  take("a");
  write_file(dir_ / "lines/d.json", "{}");
  const auto want = dump();
  writer_.reset();
  fs::remove_all(dir_ / "lines");
  const auto report = rebuild();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(dump(), want);
  EXPECT_FALSE(fs::exists(layout_.database().string() + ".rebuild"));
}

TEST_P(RawLayerTest, DamageIsNamedByFileAndByte) {
  write_file(file("a"), "one\n");
  take("a");
  append_file(file("a"), "two\n");
  take("a");
  const auto offset = number("SELECT max(file_offset) FROM raw_frames");
  const auto length = number("SELECT file_length FROM raw_frames ORDER BY file_offset DESC LIMIT 1");
  {
    std::fstream bytes(raw_file("a"), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-3, std::ios::end);
    bytes.put('\x55');
  }
  const std::string place = "raw/" + raw_name("a") + " at byte " + std::to_string(offset);
  raw::RawArchive archive(layout_.database(), layout_.raw_dir(), seal_);
  EventSource where;
  where.platform = Platform::thunderus;
  where.source = sources_[file("a").string()].id;
  where.path = file("a").string();
  std::string record;
  const auto take_it = [&record](std::string_view bytes) { return record = bytes, true; };
  where.raw = {0, 3, 0};
  EXPECT_TRUE(archive.find(where, take_it)) << "the frame before it is whole";
  EXPECT_EQ(record, "one");
  where.raw = {4, 3, 0};
  const auto found = archive.find(where, take_it);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), testing::HasSubstr(place));
  writer_.reset();
  const auto report = rebuild();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->damaged_bytes, static_cast<std::uint64_t>(length));
  EXPECT_THAT(report->damages, testing::ElementsAre(place + ": " + std::to_string(length) + " bytes"));
}

TEST_P(RawLayerTest, EvictedSessionsStayAway) {
  write_file(file("a"), "one\ntwo\n");
  write_file(file("b"), "kept\n");
  take("a");
  take("b");
  const RetentionPolicy thirty_days{30, 0};
  EXPECT_EQ(Retention(*writer_).enforce(thirty_days)->sessions, 0u) << "not idle, not announced";
  clock_.advance(60 * kMsPerDay);
  EXPECT_EQ(Retention(*writer_).enforce(thirty_days)->sessions, 0u) << "not analysed";
  ASSERT_TRUE(test::analyze_all(*writer_, clock_.now()));
  EXPECT_EQ(Retention(*writer_).enforce(thirty_days)->sessions, 0u) << "all at once: that is announced";
  clock_.advance(kRetentionNotice);
  auto dropped = Retention(*writer_).enforce(thirty_days);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->sessions, 2u);
  EXPECT_EQ(dropped->exchanges, 3u);
  const char* const kDigests =
      "SELECT s.uid, d.request, d.result, d.abstract, d.wall_clock_ms FROM session_digests d"
      " JOIN sessions s USING (session_pk) ORDER BY 1";
  const char* const kExchanges =
      "SELECT exchange_pk, user_message, tool_text IS NULL, data_completeness FROM exchanges ORDER BY 1";
  const auto digests = rows(kDigests);
  const auto exchanges = rows(kExchanges);
  EXPECT_EQ(digests.size(), 2u) << "what is kept of them stays";
  EXPECT_EQ(exchanges, (std::vector<std::string>{"1|one|1|2|", "2|two|1|2|", "3|kept|1|2|"}));
  EXPECT_EQ(number("SELECT count(*) FROM events"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE evicted_at IS NOT NULL"), 2);
  EXPECT_EQ(number("SELECT sum(bytes) FROM coverage WHERE disposition = 1 AND reason = 'evicted'"), 13);
  EXPECT_EQ(content("a"), "");
  {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_write);
    EXPECT_NO_THROW(test::check_full_text_index(db));
  }
  // Read again, copied, or read from the start, it stays evicted. New records are ingested.
  open();
  take("a");
  write_file(file("a"), "one\ntwo");
  take("a");
  append_file(file("a"), "\n");
  take("a");
  EXPECT_EQ(number("SELECT count(*) FROM events"), 0);
  EXPECT_EQ(rows(kExchanges), exchanges);
  EXPECT_EQ(number("SELECT sum(bytes) - (SELECT sum(cursor) FROM sources) FROM coverage"), 0);
  // A rebuild does not bring it back either.
  const auto ledger = rows("SELECT record_type, disposition, reason, records, bytes FROM coverage ORDER BY 1, 2, 3, 4");
  writer_.reset();
  for (const char* suffix : {"", "-wal", "-shm"})
    fs::remove(layout_.database().string() + suffix);
  const auto report = rebuild();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(number("SELECT count(*) FROM events"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE evicted_at IS NOT NULL"), 2);
  EXPECT_EQ(rows(kDigests), digests);
  EXPECT_EQ(rows(kExchanges), exchanges);
  EXPECT_EQ(rows("SELECT record_type, disposition, reason, records, bytes FROM coverage ORDER BY 1, 2, 3, 4"), ledger);
}

// Killed after the commit of the rows, or between the file and its rows.
TEST_P(RawLayerTest, ACutThatWasBrokenOffIsMadeAtTheNextOpening) {
  write_file(file("a"), "one\ntwo\n");
  write_file(file("b"), "kept\n");
  take("a");
  take("b");
  ASSERT_TRUE(test::analyze_all(*writer_, clock_.now()));
  const std::vector<std::string> a{"thunderus:a"};
  writer_.reset();
  {
    auto rows_only = Writer::open(layout_.database(), clock_);
    ASSERT_TRUE(rows_only);
    ASSERT_EQ(Retention(**rows_only).evict(a)->sessions, 1u);
    ASSERT_TRUE((*rows_only)->transact([](sqlite::Database& db) {
      db.exec("INSERT INTO raw_evictions VALUES ('thunderus:a')");
    }));
  }
  EXPECT_EQ(content("a"), "one\ntwo\n");
  open();
  EXPECT_EQ(content("a"), "");
  EXPECT_EQ(content("b"), "kept\n");
  EXPECT_EQ(number("SELECT count(*) FROM raw_evictions"), 0);
  const auto files = rows("SELECT name, length FROM raw_files ORDER BY name");
  const auto after = dump();
  ASSERT_TRUE(writer_->transact([](sqlite::Database& db) {
    db.exec(
        "INSERT INTO raw_evictions VALUES ('thunderus:a'); UPDATE raw_files SET length = 9, last_number = 1"
        " WHERE name LIKE '%/a.%'");
  }));
  open();
  EXPECT_EQ(rows("SELECT name, length FROM raw_files ORDER BY name"), files);
  EXPECT_EQ(dump(), after) << "nothing is taken for lost";
}

TEST_P(RawLayerTest, ALimitIsAnnouncedAWeekAhead) {
  write_file(file("a"), "one\n");
  take("a");
  clock_.advance(400 * kMsPerDay);
  ASSERT_TRUE(test::analyze_all(*writer_, clock_.now()));
  for (const RetentionPolicy policy : {RetentionPolicy{30, 0}, RetentionPolicy{0, 1}}) {
    EXPECT_EQ(Retention(*writer_).enforce(policy)->sessions, 0u);
    clock_.advance(6 * kMsPerDay);
    EXPECT_EQ(Retention(*writer_).enforce(policy)->sessions, 0u);
    ASSERT_TRUE(Retention(*writer_).announce({}));  // the limit was removed, and its notice with it
    clock_.advance(2 * kMsPerDay);
    EXPECT_EQ(Retention(*writer_).enforce(policy)->sessions, 0u);
  }
  EXPECT_EQ(Retention(*writer_).drop_due({3000, 0})->sessions, 0u);
  EXPECT_EQ(Retention(*writer_).drop_due({30, 0})->sessions, 1u) << "asked for by a person";
}

TEST_P(RawLayerTest, ASizeLimitTakesTheOldestFirst) {
  for (const char* name : {"a", "b", "c"}) {
    std::string text;
    for (int i = 0; i < 1000; ++i)
      text += std::string(name) + std::to_string(i * 7919 % 100003) + "\n";
    write_file(file(name), text);
    take(name);
  }
  clock_.advance(kMsPerDay);
  ASSERT_TRUE(test::analyze_all(*writer_, clock_.now()));
  const auto before = number("SELECT sum(file_length) FROM raw_frames");
  auto dropped = Retention(*writer_).drop_due({0, static_cast<std::uint64_t>(before) - 1});
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->sessions, 1u);
  EXPECT_EQ(rows("SELECT native_id FROM sessions WHERE evicted_at IS NOT NULL"), std::vector<std::string>{"a|"});
}

INSTANTIATE_TEST_SUITE_P(Frames, RawLayerTest, testing::ValuesIn(test::plain_and_sealed()),
                         [](const auto& sealed) { return sealed.param ? "Sealed" : "Plain"; });

}  // namespace
}  // namespace memd
