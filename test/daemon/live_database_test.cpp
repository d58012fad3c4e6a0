// Cursor's database while Cursor writes to it: each change is found, and the ledger equals the rows.
#include "daemon/ingest/ingest_service.hpp"
#include "store/db/database.hpp"
#include "test/support/cursor_state.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace memd {
namespace {

using namespace std::chrono_literals;

// Short conversations in a database that a test writes to.
class LiveTalks {
 public:
  explicit LiveTalks(const std::filesystem::path& file) : state_(file) {}

  static constexpr int kTalks = 4;
  void add_bubble(int talk) {
    put_bubble(talk, bubbles_[talk], "said");
    ++bubbles_[talk];
    put_composer(talk, "Talk");
  }
  int bubbles(int talk) const { return bubbles_[talk]; }
  void put_bubble(int talk, int n, const std::string& text) { state_.put(key(talk, n), value(talk, n, text)); }
  void update_in_place(int talk, int n, const std::string& text) {
    state_.run("UPDATE cursorDiskKV SET value = '" + value(talk, n, text) + "' WHERE key = '" + key(talk, n) + "'");
  }
  void erase_bubble(int talk, int n) { state_.run("DELETE FROM cursorDiskKV WHERE key = '" + key(talk, n) + "'"); }
  void erase_composer(int talk) {
    state_.run("DELETE FROM cursorDiskKV WHERE key = 'composerData:" + CursorState::composer_id(talk) + "'");
  }
  void put_composer(int talk, const std::string& name) {
    std::string headers;
    for (int i = 0; i < bubbles_[talk]; ++i)
      headers += (i > 0 ? "," : "") + std::string(R"({"bubbleId":")") + CursorState::bubble_id(talk, i) +
                 R"(","type":)" + (is_prompt(i) ? "1}" : "2}");
    state_.put("composerData:" + CursorState::composer_id(talk),
               R"({"composerId":")" + CursorState::composer_id(talk) + R"(","name":")" + name +
                   R"(","createdAt":1760000000000,"fullConversationHeadersOnly":[)" + headers + "]}");
  }
  void put(const std::string& key, const std::string& value) { state_.put(key, value); }
  void run(const std::string& sql) { state_.run(sql); }

 private:
  using CursorState = test::CursorState;
  static bool is_prompt(int n) { return n % 3 == 0; }
  static std::string key(int talk, int n) {
    return "bubbleId:" + CursorState::composer_id(talk) + ":" + CursorState::bubble_id(talk, n);
  }
  // Talks of one text and one time would be copies of each other.
  static std::string value(int talk, int n, const std::string& text) {
    return R"({"type":)" + std::string(is_prompt(n) ? "1" : "2") + R"(,"createdAt":)" +
           std::to_string(1'760'000'000'000 + talk * 3'600'000 + n * 1000) + R"(,"text":")" + text + " " +
           std::to_string(n) + "\"}";
  }
  CursorState state_;
  std::array<int, kTalks> bubbles_{};
};

class LiveDatabase : public testing::Test {
 protected:
  LiveDatabase() {
    for (int talk = 0; talk < LiveTalks::kTalks; ++talk)
      for (int n = 0; n < 9; ++n)
        talks_.add_bubble(talk);
    options_.pass_pause = {0ms, 0ms};
    options_.check_pause = {0ms, 0ms};
    options_.busy_retry = 1ms;
  }
  void start() {
    service_ = std::make_unique<IngestService>(discovery_, clock_, options_);
    auto writer = Writer::open(store_ / "memd.db", clock_, store_ / "raw");
    ASSERT_TRUE(writer) << writer.error().message();
    ASSERT_TRUE(service_->start(std::move(*writer)));
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(20s));
  }
  void look() {
    service_->hint(file_.string() + "-wal");
    ASSERT_TRUE(service_->block_until_idle(20s));
  }
  std::vector<std::string> lines(const std::filesystem::path& database, const std::string& sql) {
    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
    std::vector<std::string> out;
    for (sqlite::Statement q(db.handle(), sql); q.step();)
      out.push_back(q.str(0));
    return out;
  }
  std::string text(const std::string& sql) {
    const auto all = lines(store_ / "memd.db", sql);
    return all.empty() ? "(no row)" : all.front();
  }
  // Checks the size, the cursor and the sum of the ledger against the rows.
  void expect_exact_ledger() {
    const std::string rows = lines(file_,
                                   "SELECT sum(bytes) FROM (SELECT length(CAST(key AS BLOB)) +"
                                   " coalesce(length(CAST(value AS BLOB)), 0) AS bytes FROM cursorDiskKV"
                                   " UNION ALL SELECT length(key) + length(value) FROM ItemTable)")
                                 .front();
    EXPECT_EQ(text("SELECT size || ' ' || cursor || ' ' || (SELECT sum(bytes) FROM coverage) FROM sources"),
              rows + " " + rows + " " + rows);
    const auto freshness = service_->progress().freshness();
    ASSERT_EQ(freshness.size(), 1u);
    EXPECT_EQ(freshness[0].sources_behind, 0);
  }

  test::TempDir home_;
  test::TempDir store_;
  std::filesystem::path file_ = home_ / ".config/Cursor/User/globalStorage/state.vscdb";
  LiveTalks talks_{file_};
  test::FakeClock clock_;
  IngestOptions options_;
  Discovery discovery_{all_adapters(), home_.path(), {}, {}};
  std::unique_ptr<IngestService> service_;
};

// The conversation is not active, the row keeps its id, and the text its length.
TEST_F(LiveDatabase, ABubbleUpdatedInPlaceAnywhereIsReadAgain) {
  start();
  talks_.update_in_place(0, 1, "SAID");
  look();
  EXPECT_EQ(text("SELECT assistant_response FROM exchanges JOIN sessions USING (session_pk) WHERE exchange_number = 0"
                 " AND uid = 'cursor:" +
                 test::CursorState::composer_id(0) + "'"),
            "SAID 1\n\nsaid 2");
  expect_exact_ledger();
}

TEST_F(LiveDatabase, WhatIsDeletedLeavesTheLedgerAndStaysToBeFound) {
  start();
  talks_.erase_bubble(0, 4);
  look();
  expect_exact_ledger();
  talks_.erase_composer(1);
  look();
  expect_exact_ledger();
  EXPECT_EQ(text("SELECT count(*) FROM exchanges"), "12");
  talks_.put_composer(1, "Talk");
  look();
  expect_exact_ledger();
}

// An earlier process saw this change but did not check it.
TEST_F(LiveDatabase, ACheckThatWasPutOffIsMadeByTheNextProcess) {
  options_.check_pause = {1h, 1h};
  start();
  talks_.update_in_place(0, 1, "SAID");
  look();
  EXPECT_EQ(text("SELECT count(*) FROM exchanges WHERE assistant_response GLOB 'SAID*'"), "0");
  service_.reset();
  start();
  EXPECT_EQ(text("SELECT count(*) FROM exchanges WHERE assistant_response GLOB 'SAID*'"), "1");
  expect_exact_ledger();
}

TEST_F(LiveDatabase, RandomChangesAreSeenAndTheLedgerIsWhatStandsInTheRows) {
  // In conversation 0 bubbles are only deleted: what precedes such a gap is not read again.
  constexpr int kFirstWhole = 1;
  start();
  std::mt19937 random(20261123);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    for (int change = below(4); change >= 0; --change) {
      const int talk = kFirstWhole + below(LiveTalks::kTalks - kFirstWhole);
      const int n = below(talks_.bubbles(talk));
      const std::string number = std::to_string(round * 10 + change);
      switch (below(10)) {
        case 0: talks_.add_bubble(talk); break;
        case 1: talks_.put_bubble(talk, n, "replaced " + number); break;
        case 2: talks_.update_in_place(talk, n, "in place " + number); break;
        case 3: talks_.update_in_place(talk, n, std::string(static_cast<std::size_t>(below(9000)), 'x')); break;
        case 4: talks_.put_composer(talk, "Name " + number); break;
        case 5: talks_.put("agentKv:blob:" + std::to_string(below(5)), std::string(below(5000), 'b')); break;
        case 6:
          talks_.run("DELETE FROM cursorDiskKV WHERE key LIKE 'agentKv:blob:" + std::to_string(below(5)) + "'");
          break;
        case 7:
          talks_.run("INSERT INTO ItemTable VALUES ('setting." + std::to_string(below(3)) + "', '" + number + "')");
          break;
        case 8: talks_.erase_bubble(0, below(talks_.bubbles(0))); break;
        default:
          if (below(4) == 0) talks_.run("VACUUM");
      }
      if (below(3) == 0) service_->hint(file_);  // a pass in the middle of the changes
    }
    look();
    expect_exact_ledger();
  }
  service_.reset();

  test::TempDir fresh;
  {
    auto writer = Writer::open(fresh / "memd.db", clock_);
    IngestService once(discovery_, clock_, options_);
    ASSERT_TRUE(once.start(std::move(*writer)));
    once.scan();
    ASSERT_TRUE(once.block_until_idle(20s));
  }
  const std::string whole = "uid >= 'cursor:" + test::CursorState::composer_id(kFirstWhole) + "'";
  for (const std::string& sql :
       {"SELECT uid || title || exchange_number || user_message || assistant_response || first_seq || '-' || last_seq"
        " FROM exchanges JOIN sessions USING (session_pk) WHERE " +
            whole + " ORDER BY uid, exchange_number",
        "SELECT session_uid || item_no || item_key || version || '.' || flags || '.' || bytes FROM source_items WHERE "
        "session_" +
            whole + " ORDER BY session_uid, item_no"}) {
    EXPECT_THAT(lines(store_ / "memd.db", sql), testing::Not(testing::IsEmpty()));
    EXPECT_EQ(lines(store_ / "memd.db", sql), lines(fresh / "memd.db", sql));
  }
}

TEST(PassScheduleTest, ChecksTakeAFiftiethOfACoreAndNobodyWaitsForThem) {
  PassSchedule passes({5ms, 200ms}, {1s, 10min, 50}, 20ms, 1s);
  PassSchedule::Time now{1h};
  EXPECT_TRUE(passes.may_check("db", now)) << "the first one waits for nothing";
  passes.check_ended("db", now, 1ms);
  EXPECT_FALSE(passes.may_check("db", now + 999ms));
  EXPECT_FALSE(passes.has_put_off());
  EXPECT_EQ(passes.next(), now + 1s);
  EXPECT_EQ(passes.take_due(now + 1s), std::vector<std::string>{"db"});
  EXPECT_TRUE(passes.may_check("db", now + 1s));
  passes.check_ended("db", now, 2s);
  EXPECT_FALSE(passes.may_check("db", now + 99s));
  EXPECT_TRUE(passes.may_check("db", now + 100s));
}

}  // namespace
}  // namespace memd
