#include "adapters/sqlite/read_only_database.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/written_database.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace memd::sqlite {
namespace {

namespace fs = std::filesystem;
using test::WrittenDatabase;

class SqliteRead : public testing::Test {
 protected:
  SqliteRead() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SqliteRead() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  std::string mark() const { return change_mark(view_, path_).value(); }
  std::int64_t count() const {
    const auto db = ReadOnlyDatabase::open(view_, path_).value();
    Query query = db->prepare("SELECT count(*) FROM t").value();
    EXPECT_TRUE(query.step().value());
    return query.integer(0);
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.insert(entry.path().filename());
    return names;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string path_ = (folder_ / "a b%3F#.db").string();
  DiskView view_;
};

TEST_F(SqliteRead, ReadsWhatAWriterHasInItsLog) {
  WrittenDatabase writer(path_);
  writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");
  EXPECT_EQ(count(), 2);
  writer.run("INSERT INTO t VALUES (3)");
  EXPECT_EQ(count(), 3);
}

TEST_F(SqliteRead, NothingIsLeftBesideADatabaseThatNobodyHasOpen) {
  { WrittenDatabase(path_).run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)"); }
  const auto before = names();
  const auto mark_before = mark();
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(names(), before);
  EXPECT_EQ(mark(), mark_before);
}

TEST_F(SqliteRead, AWriterThatComesInMakesALocklessReadBusy) {
  { WrittenDatabase(path_).run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)"); }
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  EXPECT_TRUE(db->confirm());
  WrittenDatabase(path_).run("INSERT INTO t VALUES (2)");
  EXPECT_TRUE(db->confirm().error().is(Errc::busy));
}

TEST_F(SqliteRead, AWriterThatCreatesTheDatabaseIsNotDisturbed) {
  WrittenDatabase writer(path_, 0);
  std::ofstream(path_).flush();
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  const ReadTransaction reading(*db);
  EXPECT_FALSE(db->has_table("t").value());
  writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  EXPECT_TRUE(db->confirm().error().is(Errc::busy));
}

// SQLite 3.40 loads no schema with JSON functions in it, unless it trusts the schema.
TEST_F(SqliteRead, ExpressionsOfTheSchemaDoNotHinderReading) {
  {
    WrittenDatabase writer(path_);
    writer.run(
        "CREATE TABLE t (a TEXT CHECK (json_valid(a)), b INT, g TEXT AS (a ->> '$.role') VIRTUAL);"
        "CREATE INDEX role ON t (b, json_extract(a, '$.role'), coalesce(json_type(a), ''));"
        "CREATE INDEX finished ON t (b) WHERE json_valid(a) AND a -> '$.done' = 'true';"
        "CREATE TABLE u (a TEXT, n INT AS (json_array_length(a)) STORED);"
        "INSERT INTO t (a, b) VALUES ('{\"role\":\"user\"}', 1), ('{\"done\":true}', 2); INSERT INTO u (a) VALUES "
        "('[1]')");
  }
  EXPECT_EQ(count(), 2);
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  Query query = db->prepare("SELECT a FROM t WHERE b = 2").value();
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.text(0), "{\"done\":true}");
  Query stored = db->prepare("SELECT n FROM u").value();
  ASSERT_TRUE(stored.step().value());
  EXPECT_EQ(stored.integer(0), 1) << "computed when it was written";
}

// Whoever writes the file may write anything into its schema.
TEST_F(SqliteRead, ExpressionsOfTheSchemaAreNotEvaluated) {
  {
    WrittenDatabase writer(path_);
    writer.run(
        "CREATE TABLE t (a TEXT, g TEXT AS (json_extract(a, '$.x')) VIRTUAL); INSERT INTO t (a) VALUES ('{}');"
        "CREATE VIEW endless AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
        "CREATE VIEW loads AS SELECT load_extension('/tmp/none.so') AS i");
  }
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  EXPECT_FALSE(db->prepare("SELECT count(*) FROM endless"));
  EXPECT_FALSE(db->prepare("SELECT i FROM loads"));
  Query computed = db->prepare("SELECT g FROM t").value();
  EXPECT_FALSE(computed.step());
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteRead, AFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not hold for root";
  { WrittenDatabase(path_).run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)"); }
  std::ofstream(path_ + "-wal").close();  // empty, and without -shm
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(count(), 1);
}

// State after a crash: the log's index is missing, or was never copied.
TEST_F(SqliteRead, ALogWithoutItsIndex) {
  const std::string copy = (folder_ / "copy.db").string();
  {
    WrittenDatabase writer(path_);
    writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");
    fs::copy_file(path_, copy);
    fs::copy_file(path_ + "-wal", copy + "-wal");
  }
  path_ = copy;
  const auto before = names();
  const auto mark_before = mark();
  EXPECT_EQ(count(), 2);
  EXPECT_EQ(names(), before) << "nothing is created in the agent's folder";
  EXPECT_EQ(mark(), mark_before) << "nor checkpointed";
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  EXPECT_TRUE(db->confirm());
  WrittenDatabase writer(path_);
  writer.run("INSERT INTO t VALUES (3)");
  EXPECT_TRUE(db->confirm().error().is(Errc::busy)) << "its agent has come back";
  EXPECT_EQ(count(), 3);
}

// A home copied while the agent ran: the index was copied with the log, complete or cut, and there is no writer.
TEST_F(SqliteRead, ALogThatWasCopiedWithItsIndex) {
  const std::string copy = (folder_ / "copy.db").string();
  {
    WrittenDatabase writer(path_);
    writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");
    for (const char* companion : {"", "-wal", "-shm"})
      fs::copy_file(path_ + companion, copy + companion);
  }
  path_ = copy;
  EXPECT_EQ(count(), 2);
  for (const std::uintmax_t bytes : {100U, 0U}) {
    fs::resize_file(copy + "-shm", bytes);
    EXPECT_EQ(count(), 2) << bytes;
    EXPECT_EQ(fs::file_size(copy + "-shm"), bytes) << "written to";
  }
}

TEST_F(SqliteRead, CannotWrite) {
  { WrittenDatabase(path_).run("CREATE TABLE t (a)"); }
  const auto db = ReadOnlyDatabase::open(view_, path_).value();
  Query insert = db->prepare("INSERT INTO t VALUES (1)").value();
  EXPECT_TRUE(insert.step().error().is(Errc::permission));
}

TEST_F(SqliteRead, LockedIsBusyAndDamageIsNot) {
  WrittenDatabase writer(path_);
  writer.run("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(20000)); BEGIN EXCLUSIVE");
  EXPECT_TRUE(ReadOnlyDatabase::open(view_, path_).error().is(Errc::busy));
  writer.run("COMMIT");
  EXPECT_EQ(count(), 1);

  fs::resize_file(path_, 6000);
  const auto damaged = ReadOnlyDatabase::open(view_, path_);
  if (damaged) {
    Query query = (*damaged)->prepare("SELECT a FROM t").value();
    EXPECT_TRUE(query.step().error().is(Errc::io));
  } else {
    EXPECT_TRUE(damaged.error().is(Errc::io));
  }
  std::ofstream(path_) << "no database at all, but long enough to be one: " << std::string(200, '-');
  EXPECT_TRUE(ReadOnlyDatabase::open(view_, path_).error().is(Errc::io));
  fs::remove(path_);
  EXPECT_TRUE(ReadOnlyDatabase::open(view_, path_).error().is(Errc::not_found));
}

TEST_F(SqliteRead, EachCommitChangesTheMarkAndReadingDoesNot) {
  for (const char* mode : {"WAL", "DELETE"}) {
    SCOPED_TRACE(mode);
    fs::remove(path_);
    WrittenDatabase writer(path_);
    writer.run(std::string("PRAGMA journal_mode = ") + mode +
               "; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 4; CREATE TABLE t (a)");
    std::set<std::string> marks{mark()};
    for (int i = 0; i < 50; ++i) {
      writer.run("UPDATE t SET a = 2; DELETE FROM t; INSERT INTO t VALUES (1)");
      EXPECT_TRUE(marks.insert(mark()).second) << i;
      EXPECT_EQ(count(), 1);
      EXPECT_EQ(marks.count(mark()), 1U) << i;
    }
  }
}

}  // namespace
}  // namespace memd::sqlite
