#include "adapters/sqlite/query_sessions.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/adapters/written_database.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Sessions that queries find in a database.
namespace memd {
namespace {

using sqlite::QuerySessions;
using sqlite::SessionQueries;
using testing::ElementsAre;
using testing::HasSubstr;

class QuerySessionsTest : public testing::Test {
 protected:
  QuerySessionsTest() {
    writer_.run(
        "PRAGMA journal_mode = WAL;"
        "CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT, at INTEGER, born REAL, secret TEXT);"
        "CREATE TABLE lines (id INTEGER PRIMARY KEY, chat TEXT, said TEXT, at INTEGER);"
        "CREATE TABLE uses (id INTEGER PRIMARY KEY, chat TEXT, tokens INTEGER, at INTEGER);"
        "INSERT INTO chats VALUES ('a', 'First', 10, 1.5, 'xyz'), ('b', NULL, 20, 2.5, 'xyz');"
        "INSERT INTO lines VALUES (1, 'a', 'one', 10), (2, 'b', 'two', 15), (3, 'a', '{\"x\":1}', 30);"
        "INSERT INTO uses VALUES (1, 'a', 7, 10)");
    queries_.platform = Platform::imported;
    queries_.sessions = {"SELECT id, title, born, at AS changed FROM chats"};
    queries_.rows = {"SELECT id, said, at FROM lines WHERE chat = :session ORDER BY id",
                     "SELECT id, tokens, at FROM uses WHERE chat = :session ORDER BY id"};
    queries_.key = "id";
    queries_.order = "at";
    queries_.carried = {"born"};
  }

  SnapshotReader::Plan plan(const std::string& mark = {}) {
    auto plan = QuerySessions(files_, path_, queries_).plan(mark);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
    return plan ? *plan : SnapshotReader::Plan();
  }
  // Returns the head of a session and its items, and adds their bytes to `bytes`.
  std::vector<std::string> read(const std::string& key, std::uint64_t& bytes) {
    QuerySessions reader(files_, path_, queries_);
    const auto session = reader.session(key, {});
    std::vector<std::string> out;
    if (!session || !*session) return out;
    EXPECT_EQ((*session)->session_uid, "imported:" + key);
    bytes += (*session)->head->ledger_bytes;
    out.push_back(reader.item(key, (*session)->head->key).value());
    for (const auto& item : (*session)->items) {
      bytes += item.ledger_bytes;
      out.push_back(item.key + " " + reader.item(key, item.key).value());
    }
    return out;
  }

  test::TempDir dir_;
  std::string path_ = (dir_ / "chats.db").string();
  test::WrittenDatabase writer_{path_};
  DiskView files_;
  SessionQueries queries_;
};

TEST_F(QuerySessionsTest, RowsAreMergedAndEveryByteIsAccountedFor) {
  const auto all = plan();
  EXPECT_THAT(all.sessions, ElementsAre("a", "b"));
  EXPECT_TRUE(all.complete);
  std::uint64_t bytes = 0;
  EXPECT_THAT(read("a", bytes),
              ElementsAre(R"({"id":"a","title":"First","born":1.5,"changed":10})",
                          R"(1 {"id":1,"said":"one","at":10,"@query":1,"@session":{"born":1.5}})",
                          R"(2:1 {"id":1,"tokens":7,"at":10,"@query":2,"@session":{"born":1.5}})",
                          R"(3 {"id":3,"said":"{\"x\":1}","at":30,"@query":1,"@session":{"born":1.5}})"));
  EXPECT_THAT(read("b", bytes), ElementsAre(R"({"id":"b","born":2.5,"changed":20})",
                                            R"(2 {"id":2,"said":"two","at":15,"@query":1,"@session":{"born":2.5}})"));
  ASSERT_EQ(all.rest.size(), 1U);
  EXPECT_EQ(all.rest[0].bytes, 2 * 3 + 4 + 2 * 2U);  // the secrets, the chat of each line and use, and what changed
  EXPECT_EQ(bytes + all.rest[0].bytes, all.size);
}

TEST_F(QuerySessionsTest, OnlySessionsThatChangedAreListed) {
  const auto first = plan();
  EXPECT_TRUE(plan(first.mark).unchanged);
  writer_.run("INSERT INTO lines VALUES (4, 'b', 'three', 40); UPDATE chats SET at = 40 WHERE id = 'b'");
  const auto second = plan(first.mark);
  EXPECT_THAT(second.sessions, ElementsAre("b"));
  EXPECT_FALSE(second.complete);
  EXPECT_TRUE(second.size_is_estimate);
  // One that is removed is noticed by the number of sessions; then all are listed.
  writer_.run("DELETE FROM chats WHERE id = 'b'");
  const auto third = plan(second.mark);
  EXPECT_THAT(third.sessions, ElementsAre("a"));
  EXPECT_TRUE(third.complete);
  // Other queries read everything anew.
  queries_.sessions = {"SELECT id, title FROM chats"};
  EXPECT_FALSE(plan(third.mark).size_is_estimate);
  EXPECT_TRUE(plan(third.mark).complete);
}

TEST_F(QuerySessionsTest, QueriesOfOtherVersionsArePassedOver) {
  queries_.sessions.insert(queries_.sessions.begin(), "SELECT id, folder FROM chats_v2");
  queries_.rows.insert(queries_.rows.begin(), "SELECT id, colour FROM lines WHERE chat = :session");
  EXPECT_THAT(plan().sessions, ElementsAre("a", "b"));
  std::uint64_t bytes = 0;
  EXPECT_EQ(read("a", bytes).size(), 4U);
  queries_.sessions.resize(1);
  const auto refused = QuerySessions(files_, path_, queries_).plan({});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("chats_v2"));
  writer_.run("DROP TABLE chats; DROP TABLE lines; DROP TABLE uses");
  EXPECT_TRUE(plan().sessions.empty());  // its program has only just created it
}

TEST_F(QuerySessionsTest, ARowIsTakenApart) {
  // "packed" in zstd, as one raw block.
  writer_.run("CREATE TABLE threads (id TEXT, data BLOB); INSERT INTO threads VALUES ('t', X'28B52FFD2006310000" +
              std::string("7061636B6564") + "')");
  queries_.sessions = {"SELECT id, data FROM threads"};
  queries_.split = [](std::string_view row) {
    EXPECT_EQ(row, R"({"id":"t","data":"packed"})");
    return std::vector<SessionQueries::Parts>{{{}, "{}", 0, {{"1", R"({"n":1})", 4}}}};
  };
  const auto all = plan();
  std::uint64_t bytes = 0;
  EXPECT_THAT(read("t", bytes), ElementsAre("{}", R"(1 {"n":1})"));
  EXPECT_EQ(bytes, 7U);
  EXPECT_EQ(bytes + all.rest[0].bytes, all.size);
}

TEST_F(QuerySessionsTest, SessionsShareARow) {
  queries_.sessions = {"SELECT title FROM chats WHERE id = 'a'"};
  queries_.shared = true;
  queries_.split = [](std::string_view) {
    return std::vector<SessionQueries::Parts>{{"x", R"({"t":1})", 2, {{"1", "{}", 1}}}, {"y", "{}", 1, {}}};
  };
  const auto all = plan();
  EXPECT_THAT(all.sessions, ElementsAre("x", "y"));
  std::uint64_t bytes = 0;
  EXPECT_THAT(read("x", bytes), ElementsAre(R"({"t":1})", "1 {}"));
  EXPECT_THAT(read("y", bytes), ElementsAre("{}"));
  EXPECT_EQ(bytes + all.rest[0].bytes, all.size);
}

TEST_F(QuerySessionsTest, DamagedPackedTextStaysAsItIs) {
  writer_.run("CREATE TABLE threads (id TEXT, data BLOB); INSERT INTO threads VALUES ('t', X'28B52FFD2006')");
  queries_.sessions = {"SELECT id, data FROM threads"};
  queries_.rows.clear();
  std::uint64_t bytes = 0;
  EXPECT_EQ(read("t", bytes).size(), 1U);
  EXPECT_EQ(bytes, 7U);
}

}  // namespace
}  // namespace memd
