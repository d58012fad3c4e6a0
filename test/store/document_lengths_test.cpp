#include "store/search/words/document_lengths.hpp"

#include "store/search/words/full_text_index.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

namespace memd::search {
namespace {

class DocumentLengthsTest : public testing::Test {
 protected:
  DocumentLengthsTest() { lengths_.follow(store_.db()); }

  // Reads a length as a query does.
  std::int64_t read(ExchangeId id) {
    QueryLengths known(&lengths_);
    FullTextIndex index(store_.db(), "exchanges_fts");
    index.refresh();
    return LengthReader(index, known).words(id);
  }
  // Removes a text from the index as the writer does when it changes or is deleted.
  void take_out(ExchangeId id, const char* user) {
    store_.db()
        .prepare(
            "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response,"
            " tool_text) VALUES ('delete', ?, ?, '', '', '')")
        .bind(id, user)
        .run();
  }
  void make_longer() {
    take_out(id_, "one two three");
    store_.db()
        .prepare(
            "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
            " VALUES (?, 'one two three', '', 'four five', '')")
        .bind(id_)
        .run();
  }

  DocumentLengths lengths_;
  test::StoreFixture store_;
  std::int64_t session_ = store_.session({.native_id = "aaaa1"});
  ExchangeId id_ = store_.exchange(session_, {.user = "one two three"});
};

TEST_F(DocumentLengthsTest, WhatWasReadIsKnown) {
  EXPECT_EQ(lengths_.find(id_), 0U);
  EXPECT_EQ(read(id_), 3);
  EXPECT_EQ(lengths_.find(id_), 3U);
  EXPECT_EQ(lengths_.find(id_ + 1), 0U);
  EXPECT_EQ(lengths_.find(std::int64_t{1} << 40), 0U);
  EXPECT_EQ(lengths_.find(-1), 0U);
}

TEST_F(DocumentLengthsTest, AChangeIsForgottenWhenItIsCommitted) {
  sqlite::Transaction before(store_.db());
  const auto other = store_.exchange(session_, {.user = "one"});
  before.commit();
  read(id_);
  read(other);
  {
    sqlite::Transaction tx(store_.db());
    make_longer();
    EXPECT_EQ(lengths_.find(id_), 3U) << "others still see it so";
    tx.commit();
  }
  EXPECT_EQ(lengths_.find(id_), 0U);
  EXPECT_EQ(lengths_.find(other), 1U);
  EXPECT_EQ(read(id_), 5);
}

TEST_F(DocumentLengthsTest, ADeletedExchangeIsForgotten) {
  read(id_);
  sqlite::Transaction tx(store_.db());
  take_out(id_, "one two three");
  tx.commit();
  EXPECT_EQ(lengths_.find(id_), 0U);
}

TEST_F(DocumentLengthsTest, WhatWasRolledBackStaysKnown) {
  read(id_);
  {
    const sqlite::Transaction tx(store_.db());
    make_longer();
  }
  sqlite::Transaction tx(store_.db());
  tx.commit();
  EXPECT_EQ(lengths_.find(id_), 3U);
}

// The reader's transaction may have begun before the writer's commit.
TEST_F(DocumentLengthsTest, WhatMayBeOutOfDateIsNotLearned) {
  const auto state = lengths_.state();
  sqlite::Transaction tx(store_.db());
  make_longer();
  tx.commit();
  const DocumentLengths::Length old[] = {{id_, 3}};
  lengths_.insert(state, old);
  EXPECT_EQ(lengths_.find(id_), 0U);
  lengths_.insert(lengths_.state(), old);
  EXPECT_EQ(lengths_.find(id_), 3U);
}

TEST(DocumentLengths, NothingIsLearnedWithoutAWriter) {
  DocumentLengths lengths;
  const DocumentLengths::Length read[] = {{1, 7}};
  lengths.insert(lengths.state(), read);
  EXPECT_EQ(lengths.find(1), 0U);
  {
    test::StoreFixture store;
    lengths.follow(store.db());
    lengths.insert(lengths.state(), read);
    EXPECT_EQ(lengths.find(1), 7U);
  }
  EXPECT_EQ(lengths.find(1), 0U) << "the writer is gone";
  lengths.insert(lengths.state(), read);
  EXPECT_EQ(lengths.find(1), 0U);
}

}  // namespace
}  // namespace memd::search
