#include "store/write/identity_index.hpp"

#include "schemas/base/hash.hpp"
#include "store/db/database.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace memd::assembly {
namespace {

class IdentityIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    sqlite::migrate(db_);
    db_.exec("INSERT INTO sessions (session_pk, uid, platform, native_id) VALUES (1, 'a:1', 'a', '1')");
    open();
  }

  void open(std::size_t filter_bytes = 1 << 20) {
    index_ = std::make_unique<IdentityIndex>(db_, IdentityIndex::Shape{16, 3, filter_bytes});
  }
  void add(std::uint64_t id, std::int64_t seq) {
    db_.prepare("INSERT INTO events (session_pk, seq, event_id, time, kind) VALUES (1, ?, ?, 0, 0)")
        .bind(seq, as_sql(id))
        .run();
    index_->add(id, 1, seq);
  }
  std::int64_t count(const char* sql) {
    auto& q = db_.prepare(sql);
    q.step();
    const auto n = q.int64(0);
    q.reset();
    return n;
  }

  sqlite::Database db_ = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  std::unique_ptr<IdentityIndex> index_;
};

// Compares with a std::map: commits of all sizes, rollbacks, deletions, restarts, and filters that are released.
TEST_F(IdentityIndexTest, HoldsExactlyWhatWasCommitted) {
  std::mt19937_64 random(5);
  std::map<std::uint64_t, std::int64_t> committed;
  std::set<std::uint64_t> gone;
  std::int64_t next_seq = 0;
  for (int round = 0; round < 400; ++round) {
    auto now = committed;
    std::int64_t seq = next_seq;
    auto lost = gone;
    sqlite::Transaction transaction(db_);
    for (auto n = random() % 40; n > 0; --n) {
      const std::uint64_t id = random();
      ASSERT_FALSE(index_->find(id));
      add(id, seq);
      now[id] = seq++;
    }
    if (!now.empty() && random() % 4 == 0) {
      const auto victim = std::next(now.begin(), static_cast<std::ptrdiff_t>(random() % now.size()));
      index_->write();
      db_.prepare("DELETE FROM events WHERE session_pk = 1 AND seq = ?").bind(victim->second).run();
      lost.insert(victim->first);
      now.erase(victim);
    }
    if (random() % 5 == 0) {
      // No commit: the destructor rolls back.
    } else {
      index_->flush();
      transaction.commit();
      committed = std::move(now);
      gone = std::move(lost);
      next_seq = seq;
      if (random() % 10 == 0) index_->release();
      if (random() % 10 == 0) open(random() % 2 == 0 ? 64 : 1 << 20);
      continue;
    }
    index_->forget();
  }
  ASSERT_GT(committed.size(), 3'000u);
  for (const auto& [id, seq] : committed) {
    const auto place = index_->find(id);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->place, seq);
  }
  for (const std::uint64_t id : gone)
    EXPECT_FALSE(index_->find(id));
  EXPECT_EQ(count("SELECT count(*) FROM identities"), static_cast<std::int64_t>(committed.size()));
  EXPECT_EQ(count("SELECT count(DISTINCT identity) FROM identities"), static_cast<std::int64_t>(committed.size()));
  EXPECT_EQ(count("SELECT count(*) FROM identities WHERE run NOT IN (SELECT run FROM identity_runs)"), 0);
}

TEST_F(IdentityIndexTest, FullRunsAreMerged) {
  std::mt19937_64 random(6);
  for (int commit = 0; commit < 1'000; ++commit) {
    sqlite::Transaction transaction(db_);
    for (int n = 0; n < 8; ++n)
      add(random(), commit * 8 + n);
    index_->flush();
    transaction.commit();
  }
  // 500 runs of 16 were written. At each of three or more levels at most three runs wait for a merge, and three are
  // being merged.
  EXPECT_GE(count("SELECT max(level) FROM identity_runs"), 4);
  EXPECT_LE(count("SELECT count(*) FROM identity_runs"), 24);
  EXPECT_EQ(count("SELECT count(*) FROM identities"), 8'000);
}

}  // namespace
}  // namespace memd::assembly
