// Pages of the full-text index with contents that SQLite never writes.
#include "store/search/search_check.hpp"

#include "schemas/base/error.hpp"
#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <span>
#include <stop_token>
#include <vector>

namespace memd {
namespace {

using search::FullTextIndex;

// Encodes a number as SQLite does: 7 bits per byte, 8 in the ninth.
std::string varint_of(std::uint64_t value) {
  std::string out;
  if (value >> 56 != 0) {
    for (int shift = 57; shift >= 8; shift -= 7)
      out += static_cast<char>(0x80 | (value >> shift & 0x7F));
    return out + static_cast<char>(value & 0xFF);
  }
  for (int shift = 49; shift > 0; shift -= 7)
    if (value >> shift != 0) out += static_cast<char>(0x80 | (value >> shift & 0x7F));
  return out + static_cast<char>(value & 0x7F);
}

// Returns a page with the single word "zebra": the first document, then the distance to each further one.
std::string page_of_zebra(const std::vector<std::uint64_t>& numbers) {
  const std::string word = "0zebra";
  std::string page{'\0', static_cast<char>(4 + 1 + word.size()), '\0', '\0'};
  page += varint_of(word.size()) + word;
  for (const std::uint64_t n : numbers)
    page += varint_of(n) + varint_of(2) + varint_of(2);
  page[3] = static_cast<char>(page.size());
  return page + varint_of(4);
}

class DamagedPages : public testing::Test {
 protected:
  DamagedPages() {
    store_.exchange(store_.session({.native_id = "aaaa1"}), {.user = "zebra", .answer = ""});
    db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
  }
  void write(const std::string& page) {
    db_.prepare("UPDATE exchanges_fts_data SET block = ?1 WHERE id > 10")
        .bind(std::as_bytes(std::span(page.data(), page.size())))
        .run();
  }
  Result<SearchAnswer> search() {
    Reader reader(store_.file());
    SearchQuery query;
    query.asked = search::parse_query("zebra");
    query.mode = SearchMode::lexical;
    return reader.search(query);
  }

  test::StoreFixture store_;
  sqlite::Database& db_ = store_.db();
};

TEST_F(DamagedPages, NumbersNearTheEndOfNumbersEndNoWalk) {
  write(page_of_zebra({1}));
  const auto sound = search();
  ASSERT_TRUE(sound) << sound.error().message();
  ASSERT_EQ(sound->hits.size(), 1U) << "the page is made as FTS5 makes it";
  constexpr auto kLast = static_cast<std::uint64_t>(INT64_MAX);
  const std::vector<std::vector<std::uint64_t>> pages{{kLast - 1}, {1, kLast - 2},  {kLast - 9, 1, 1},
                                                      {kLast + 1}, {1, UINT64_MAX}, {std::uint64_t{1} << 49, 1},
                                                      {5, 0, 0}};
  for (const auto& numbers : pages) {
    write(page_of_zebra(numbers));
    const auto found = search();
    ASSERT_FALSE(found) << testing::PrintToString(numbers);
    EXPECT_TRUE(found.error().is(Errc::store_corrupt)) << found.error().message();
    EXPECT_NE(check_search(store_.file(), std::chrono::minutes(1)).value().damage, "");
  }
}

TEST_F(DamagedPages, AWalkLooksAtTheStopToken) {
  std::stop_source stop;
  auto reading = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  reading.watch(stop.get_token());
  FullTextIndex index(reading, "exchanges_fts");
  index.refresh();
  EXPECT_TRUE(index.contains("zebra"));
  stop.request_stop();
  EXPECT_THROW(index.throw_if_stopped(), ErrorException);
  EXPECT_THROW(index.contains("lion"), ErrorException);
}

using Words = std::map<std::string, std::vector<std::int64_t>>;

// Returns the index contents according to fts5vocab.
Words words_in(sqlite::Database& db) {
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences USING fts5vocab(main, exchanges_fts, instance)");
  Words out;
  auto& q = db.prepare("SELECT term, doc * 100000 + offset FROM temp.occurrences ORDER BY 1, 2");
  while (q.step())
    out[q.str(0)].push_back(q.int64(1));
  q.reset();
  return out;
}

class SearchCheckTest : public testing::Test {
 protected:
  SearchCheckTest() {
    const auto session = store_.session({.native_id = "aaaa1", .title = "The lexer"});
    std::mt19937 random(7);
    const auto text = [&] {
      std::string out;
      for (int n = 0; n < 60; ++n)
        out += "w" + std::to_string(random() % 3000) + " ";
      return out;
    };
    sqlite::Transaction tx(db_);
    for (int i = 0; i < 400; ++i)
      store_.exchange(session, {.user = text(), .answer = text()});
    tx.commit();
    db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
  }
  SearchCheck check() { return check_search(store_.file(), std::chrono::minutes(1)).value(); }
  void mend() {
    sqlite::Transaction tx(db_);
    repair_search_index(db_);
    tx.commit();
  }

  test::StoreFixture store_;
  sqlite::Database& db_ = store_.db();
};

TEST_F(SearchCheckTest, FindsWhatSearchesStumbleOnAndMendsIt) {
  const auto sound = check();
  EXPECT_EQ(sound.damage, "");
  EXPECT_TRUE(sound.complete);
  const Words words = words_in(db_);
  const std::string set = "UPDATE exchanges_fts_data SET block = ";
  const auto page = [](int n) {
    return "(SELECT id FROM exchanges_fts_data WHERE id > 10 ORDER BY id LIMIT 1 OFFSET " + std::to_string(n) + ")";
  };
  const std::vector<std::string> damages{
      set + "zeroblob(length(block)) WHERE id IN (SELECT id FROM exchanges_fts_data WHERE id > 10 LIMIT 5 OFFSET 3)",
      set + "zeroblob(length(block)) WHERE id = 10",
      set + "zeroblob(length(block)) WHERE id = 1",
      set + "substr(block, 1, 200) WHERE id = " + page(7),
      set + "(SELECT block FROM exchanges_fts_data WHERE id = " + page(2) + ") WHERE id = " + page(9),
      "UPDATE exchanges_fts_idx SET pgno = pgno + 4 WHERE pgno = (SELECT max(pgno) - 20 FROM exchanges_fts_idx)",
      "DELETE FROM exchanges_fts_data WHERE id = " + page(12)};
  for (const std::string& damage : damages) {
    db_.exec(damage.c_str());
    EXPECT_NE(check().damage, "") << damage;
    mend();
    EXPECT_EQ(check().damage, "") << damage;
    EXPECT_EQ(words_in(db_), words) << damage;
  }
}

TEST_F(SearchCheckTest, VectorsOfNoSizeThatFitsAreMadeAnew) {
  db_.exec(
      "INSERT INTO vector_models (model_pk, name, dimension) VALUES (1, 'm', 4);"
      "INSERT INTO vectors (model_pk, exchange_pk, chunk_hashes, vectors) VALUES"
      " (1, 1, zeroblob(16), zeroblob(8)), (1, 2, zeroblob(16), zeroblob(7)), (1, 3, zeroblob(9), zeroblob(4));"
      "DELETE FROM enrichment_queue");
  EXPECT_EQ(check().damage, "2 rows of vectors have no size that fits");
  mend();
  EXPECT_EQ(check().damage, "");
  auto& queued = db_.prepare("SELECT group_concat(exchange_pk) FROM enrichment_queue WHERE missing & 2");
  queued.step();
  EXPECT_EQ(queued.str(0), "2,3");
  queued.reset();
}

}  // namespace
}  // namespace memd
