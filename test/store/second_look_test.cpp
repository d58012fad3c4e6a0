#include "store/enrich/second_look.hpp"

#include "schemas/base/hash.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/write/evicted_rows.hpp"
#include "store/write/retention.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Codes = std::vector<std::int8_t>;

class SecondLook : public testing::Test {
 protected:
  SecondLook() : session_(store_.session({.native_id = "s1", .title = "title"})) {}

  ExchangeId add(std::string user, std::string answer = {}) {
    const ExchangeId id = store_.exchange(session_, {.user = std::move(user), .answer = std::move(answer)});
    enrichment::enqueue(db_, id);
    return id;
  }
  void change(ExchangeId id, std::string_view text) {
    db_.prepare("UPDATE exchanges SET user_message = ?2 WHERE exchange_pk = ?1").bind(id, text).run();
    enrichment::enqueue(db_, id);
  }
  std::vector<PendingSecondLook> pending(int limit = 100) { return SecondLookPendingQuery{limit}.run(db_); }
  std::vector<ExchangeId> waiting() {
    std::vector<ExchangeId> out;
    for (const auto& p : pending())
      out.push_back(p.id);
    return out;
  }
  void save(const PendingSecondLook& p, Codes codes) {
    const SecondLookVector made{p.id, p.waiting, hash64(p.text), std::move(codes)};
    second_look::save(db_, {&made, 1});
  }
  void make_all() {
    for (const auto& p : pending())
      save(p, {static_cast<std::int8_t>(p.id), 1});
  }
  std::vector<Codes> vectors(const std::vector<ExchangeId>& ids, std::string_view model = "network") {
    return SecondLookVectorsQuery{ids, model}.run(db_);
  }
  std::int64_t rows() {
    auto& q = db_.prepare("SELECT count(*) FROM second_look");
    q.step();
    const auto out = q.int64(0);
    q.reset();
    return out;
  }

  test::StoreFixture store_;
  sqlite::Database& db_ = store_.db();
  std::int64_t session_;
};

TEST_F(SecondLook, NothingIsQueuedWhileItIsOff) {
  const auto id = add("alpha");
  EXPECT_EQ(rows(), 0);
  EXPECT_FALSE(SecondLookBacklogQuery{}.run(db_).on());
  EXPECT_THAT(vectors({id}), ElementsAre(IsEmpty()));
}

TEST_F(SecondLook, TurningItOnQueuesAllNewestFirst) {
  const auto a = add("alpha");
  const auto b = add("beta");
  second_look::set_model(db_, "network");
  const auto c = add("gamma");
  EXPECT_THAT(waiting(), ElementsAre(c, b, a));
  EXPECT_THAT(pending(2), SizeIs(2));
  const auto older = SecondLookPendingQuery{.limit = 1, .below = c}.run(db_);
  ASSERT_THAT(older, SizeIs(1));
  EXPECT_EQ(older[0].id, b);
  EXPECT_EQ(older[0].text, "beta");
  EXPECT_EQ(older[0].text_hash, std::nullopt);
  const auto backlog = SecondLookBacklogQuery{}.run(db_);
  EXPECT_EQ(backlog.model, "network");
  EXPECT_EQ(backlog.exchanges, 3);
  EXPECT_EQ(backlog.made, 0);
  EXPECT_EQ(backlog.waiting, 3);
}

TEST_F(SecondLook, QueueIsReadThroughItsIndex) {
  auto& q = db_.prepare(
      "EXPLAIN QUERY PLAN SELECT w.exchange_pk, e.ended_at FROM second_look w CROSS JOIN exchanges e"
      " USING (exchange_pk) WHERE w.waiting AND w.exchange_pk < ?2 ORDER BY w.exchange_pk DESC LIMIT ?1");
  std::string plan;
  while (q.step())
    plan += q.str(3) + '\n';
  EXPECT_THAT(plan, HasSubstr("INDEX second_look_waiting"));
  EXPECT_THAT(plan, testing::Not(HasSubstr("TEMP B-TREE")));
}

// Ingest enqueues exchanges between their rows of the full-text index.
TEST_F(SecondLook, EnqueuingOpensNoSavepoint) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
  sqlite::Transaction transaction(db_);
  for (int i = 0; i < 100; ++i) {
    db_.prepare("INSERT INTO exchanges_fts (rowid, user_message) VALUES (?, 'beta')").bind(id + 1 + i).run();
    second_look::enqueue(db_, id);
  }
  transaction.commit();
  auto& q = db_.prepare("SELECT count(DISTINCT segid) FROM exchanges_fts_idx");
  q.step();
  EXPECT_LE(q.int64(0), 2) << "FTS5 writes a segment at each savepoint";
}

TEST_F(SecondLook, SavedVectorsAreFoundByTheirNetworkAlone) {
  second_look::set_model(db_, "network");
  const auto a = add("alpha");
  const auto b = add("beta");
  const auto found = pending();
  save(found[1], {1, -2, 3});
  EXPECT_THAT(waiting(), ElementsAre(b));
  EXPECT_THAT(vectors({b, a, 999}), ElementsAre(IsEmpty(), ElementsAre(1, -2, 3), IsEmpty()));
  EXPECT_THAT(vectors({a}, "other"), ElementsAre(IsEmpty()));
  EXPECT_THAT((SecondLookVectorsQuery{std::vector<ExchangeId>{a, b}, "network"}.without_store()), SizeIs(2));
  EXPECT_EQ(SecondLookBacklogQuery{}.run(db_).made, 1);
}

TEST_F(SecondLook, ATextThatChangesMeanwhileWaitsOn) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  const auto before = pending();
  change(id, "alpha and more");
  save(before[0], {1, 1});
  EXPECT_THAT(waiting(), ElementsAre(id));
  EXPECT_THAT(vectors({id}), ElementsAre(ElementsAre(1, 1))) << "closer to the text than none";
  const auto after = pending();
  EXPECT_EQ(after[0].text_hash, hash64("alpha"));
  EXPECT_EQ(after[0].text, "alpha and more");
  save(after[0], {2, 2});
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(vectors({id}), ElementsAre(ElementsAre(2, 2)));
}

TEST_F(SecondLook, AVectorOfTheSameTextStays) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  make_all();
  enrichment::enqueue(db_, id);
  const auto again = pending();
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].text_hash, hash64(again[0].text));
  save(again[0], {});
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(vectors({id}), ElementsAre(SizeIs(2)));
}

TEST_F(SecondLook, AnExchangeWithoutTextHasNone) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  make_all();
  change(id, "");
  const auto emptied = pending();
  ASSERT_THAT(emptied, SizeIs(1));
  EXPECT_EQ(emptied[0].text, "");
  save(emptied[0], {});
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(vectors({id}), ElementsAre(IsEmpty()));
}

TEST(SecondLookText, IsTheBeginningsOfPromptAndFinalAnswer) {
  EXPECT_EQ(second_look_text("why?", "let me look. It was late.", 13), "why?\nIt was late.");
  EXPECT_EQ(second_look_text("why?", "", 0), "why?");
  EXPECT_EQ(second_look_text("", "It was late.", 0), "It was late.");
  EXPECT_EQ(second_look_text("", "", 0), "");
  const std::string prompt(1000, 'p');
  const std::string answer(1000, 'a');
  EXPECT_EQ(second_look_text(prompt, answer, 0), prompt.substr(0, 450) + '\n' + answer.substr(0, 450))
      << "a long prompt leaves room for the answer";
  EXPECT_EQ(second_look_text("why?", "It was late.", 99), "why?");
  EXPECT_EQ(second_look_text("why?", "It was late.", -1), "why?\nIt was late.");
}

TEST_F(SecondLook, AnotherNetworkBeginsAnew) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  make_all();
  second_look::set_model(db_, "network");
  EXPECT_THAT(waiting(), IsEmpty());
  second_look::set_model(db_, "better");
  EXPECT_THAT(waiting(), ElementsAre(id));
  EXPECT_THAT(vectors({id}, "better"), ElementsAre(IsEmpty()));
  EXPECT_EQ(pending()[0].text_hash, std::nullopt);
}

TEST_F(SecondLook, TurnedOffItsRowsGoInPieces) {
  second_look::set_model(db_, "network");
  const auto a = add("alpha");
  add("beta");
  add("gamma");
  make_all();
  EXPECT_EQ(second_look::drop_some(db_, 2), 0) << "it is on";
  second_look::set_model(db_, "");
  EXPECT_THAT(vectors({a}), ElementsAre(IsEmpty())) << "at once";
  EXPECT_EQ(second_look::drop_some(db_, 2), 2);
  EXPECT_EQ(second_look::drop_some(db_, 2), 1);
  EXPECT_EQ(second_look::drop_some(db_, 2), 0);
  EXPECT_EQ(rows(), 0);
}

TEST_F(SecondLook, TurnedOnBeforeAllRowsWentItBeginsAnew) {
  second_look::set_model(db_, "network");
  const auto a = add("alpha");
  const auto b = add("beta");
  make_all();
  second_look::set_model(db_, "");
  second_look::drop_some(db_, 1);
  change(b, "beta, changed while it is off");
  second_look::set_model(db_, "network");
  EXPECT_THAT(waiting(), ElementsAre(b, a));
  EXPECT_THAT(vectors({a, b}), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_F(SecondLook, ADeletedExchangeLeavesNothing) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha");
  const auto read = pending();
  db_.prepare("DELETE FROM exchanges WHERE exchange_pk = ?").bind(id).run();
  EXPECT_EQ(rows(), 0);
  save(read[0], {1, 1});
  EXPECT_EQ(rows(), 0);
}

TEST_F(SecondLook, AForgottenSessionLeavesNothing) {
  second_look::set_model(db_, "network");
  add("alpha");
  add("beta");
  make_all();
  EXPECT_TRUE(retention::remove(db_, "claude_code:s1", "forgotten"));
  EXPECT_EQ(rows(), 0);
}

TEST_F(SecondLook, OfAnEvictedExchangeTheFirstLinesAreEmbeddedAnew) {
  second_look::set_model(db_, "network");
  const auto id = add("alpha", std::string(5000, 'x'));
  make_all();
  retention::keep_first_lines(db_, session_);
  EXPECT_THAT(vectors({id}), ElementsAre(IsEmpty()));
  EXPECT_THAT(waiting(), ElementsAre(id));
}

}  // namespace
}  // namespace memd
