// Rows that are buffered and inserted many at a time.
#include "store/db/database.hpp"
#include "test/support/event_script.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd {
namespace {

using test::EventScript;

class RowInserterTest : public testing::Test {
 protected:
  void SetUp() override { db_.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, number INTEGER)"); }
  std::int64_t number(const char* sql) {
    sqlite::Statement q(db_.handle(), sql);
    return q.step() ? q.int64(0) : -1;
  }
  void insert(std::int64_t first, std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back("text " + std::to_string(first + static_cast<std::int64_t>(i)));
    sqlite::RowInserter rows(db_, "t (id, text, number)", count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = i % 3 == 0 ? std::nullopt : std::optional<std::int64_t>(static_cast<std::int64_t>(i));
      rows.add(first + static_cast<std::int64_t>(i), texts[i], n);
    }
  }

  sqlite::Database db_ = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
};

TEST_F(RowInserterTest, InsertsAnyNumberOfRows) {
  std::int64_t next = 0;
  for (const std::size_t count : {0, 1, 7, 8, 64, 81, 100}) {
    insert(next, count);
    next += static_cast<std::int64_t>(count);
    EXPECT_EQ(number("SELECT count(*) FROM t"), next);
  }
  EXPECT_EQ(number("SELECT count(*) FROM t WHERE text = 'text ' || id"), next);
  EXPECT_EQ(number("SELECT number FROM t WHERE id = 259"), 98);
  EXPECT_EQ(number("SELECT number IS NULL FROM t WHERE id = 260"), 1);
}

TEST_F(RowInserterTest, AStatementKeepsATextThatIsGivenAway) {
  std::string text(100, 'a');
  std::optional<std::string> other(std::string(100, 'b'));
  auto& q = db_.query("SELECT ?1, ?2", std::move(text), std::move(other));
  text.assign(100, 'x');
  other.emplace(100, 'x');
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.text(0), std::string(100, 'a'));
  EXPECT_EQ(q.text(1), std::string(100, 'b'));
  q.reset();
}

TEST_F(RowInserterTest, AKeyThatIsThereUndoesTheTransaction) {
  insert(50, 1);
  {
    sqlite::Transaction transaction(db_);
    insert(0, 3);
    EXPECT_THROW(insert(10, 64), ErrorException);
  }
  EXPECT_EQ(number("SELECT count(*) FROM t"), 1);
  insert(0, 40);  // the connection is still usable
  EXPECT_EQ(number("SELECT count(*) FROM t"), 41);
}

class BulkRows : public test::WriterFixture {
 protected:
  static EventBatch sessions(int count, int exchanges) {
    EventBatch all;
    for (int n = 0; n < count; ++n) {
      const std::string uid = "claude_code:s" + std::to_string(n);
      EventScript s(uid);
      s.in("/w/p" + std::to_string(n % 3), "main");
      for (int i = 0; i < exchanges; ++i) {
        const std::string id = std::to_string(i);
        s.user("Question " + id).call("c" + id, "Edit", "/w/p/a.go", "/w/p/a.go").result("c" + id, "ok", i % 5 == 4, 2);
        s.answer("Fixed the reader so that number " + id + " is found.", 1000 + static_cast<std::uint64_t>(n * 100 + i),
                 {1, 2, 3, 4});
      }
      SessionUpdate update;
      update.session_uid = uid;
      update.title = "Session " + std::to_string(n);
      update.title_rank = TitleRank::ai;
      all.sessions.push_back(update);
      for (Event e : s.events()) {
        e.time += n * kMsPerDay;  // at one time they would be copies of each other
        all.events.push_back(std::move(e));
      }
    }
    return all;
  }
};

// Each segment costs every search one look-up, and costs FTS5 time to write and merge.
TEST_F(BulkRows, OneCommitIsOneSegment) {
  apply(sessions(30, 4));
  EXPECT_EQ(rows("SELECT count(*) FROM exchanges"), std::vector<std::string>{"120"});
  EXPECT_EQ(rows("SELECT count(DISTINCT segid) FROM exchanges_fts_idx"), std::vector<std::string>{"1"});
}

// The rows are the same with and without buffering, for any size of commit.
TEST_F(BulkRows, AreTheSameEventByEvent) {
  const EventBatch whole = sessions(3, 60);
  apply(whole);
  auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
  test::check_full_text_index(db);
  const auto at_once = test::dump_store(db);
  ASSERT_GT(at_once.size(), 1000U);
  file_ = dir_ / "piecewise.db";
  open();
  EventBatch titles;
  titles.sessions = whole.sessions;
  apply(std::move(titles));
  for (std::size_t i = 0; i < whole.events.size(); ++i) {
    EventBatch one;
    one.events = {whole.events[i]};
    apply(std::move(one));
  }
  auto other = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
  test::check_full_text_index(other);
  EXPECT_EQ(test::dump_store(other), at_once);
}

}  // namespace
}  // namespace memd
