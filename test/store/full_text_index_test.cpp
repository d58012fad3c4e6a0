#include "store/search/words/full_text_index.hpp"

#include "schemas/base/error.hpp"
#include "store/search/rank/hybrid_search.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace memd::search {
namespace {

using Occurrence = std::tuple<std::int64_t, int, int>;  // document, column, word
using Occurrences = std::vector<Occurrence>;

// Returns the occurrences according to fts5vocab, the slow public interface of FTS5.
std::map<std::string, Occurrences> by_fts5(sqlite::Database& db) {
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences USING fts5vocab(main, exchanges_fts, instance)");
  std::map<std::string, Occurrences> out;
  const std::map<std::string, int> columns{
      {"user_message", 0}, {"interventions", 1}, {"assistant_response", 2}, {"tool_text", 3}};
  auto& q = db.prepare("SELECT term, doc, col, offset FROM temp.occurrences");
  while (q.step())
    out[q.str(0)].emplace_back(q.int64(1), columns.at(q.str(2)), static_cast<int>(q.int64(3)));
  q.reset();
  for (auto& [word, list] : out)
    std::sort(list.begin(), list.end());
  return out;
}

Occurrences by_pages(FullTextIndex& index, const std::string& word) {
  std::map<std::int64_t, std::string> lists;
  for (PostingCursor& cursor : index.find(word)) {
    ExchangeId last = -1;
    for (; !cursor.at_end(); cursor.next()) {
      EXPECT_GT(cursor.id(), last);
      last = cursor.id();
      PositionBytes positions;
      const std::size_t bytes = cursor.bytes();
      // Some positions are not read, so both ways to cross a page border are tested.
      if (lists.contains(cursor.id())) continue;
      cursor.append_positions(positions);
      EXPECT_EQ(positions.size(), bytes);
      lists.emplace(cursor.id(), positions.view());
    }
  }
  Occurrences out;
  for (const auto& [id, positions] : lists)
    for (PositionReader p(positions); p.next();)
      out.emplace_back(id, static_cast<int>(p.column()), static_cast<int>(p.word()));
  return out;
}

class FullTextIndexTest : public testing::Test {
 protected:
  std::string text() {
    std::string out;
    std::geometric_distribution<int> rank(0.02);
    for (auto n = random_() % 60; n > 0; --n)
      out += "w" + std::to_string(rank(random_)) + (random_() % 40 == 0 ? " " + std::string(300, 'z') : "") + " ";
    for (auto n = random_() % 200 == 0 ? 4000U : 0U; n > 0; --n)
      out += n % 3 == 0 ? "long w1 " : "long ";
    return out;
  }
  void insert(std::int64_t id) {
    const std::string user = text();
    const std::string answer = text();
    db_.prepare(
           "INSERT OR REPLACE INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq,"
           " started_at, ended_at, user_message, interventions, assistant_response, tool_text, ingested_at)"
           " VALUES (?1, 1, ?1, 0, 0, 0, 0, ?2, '', ?3, '', 1)")
        .bind(id, user, answer)
        .run();
    db_.prepare(
           "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
           " VALUES (?, ?, '', ?, '')")
        .bind(id, user, answer)
        .run();
  }
  void remove(std::int64_t id) {
    db_.prepare(
           "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response,"
           " tool_text) SELECT 'delete', exchange_pk, user_message, '', assistant_response, '' FROM exchanges"
           " WHERE exchange_pk = ?")
        .bind(id)
        .run();
    db_.prepare("DELETE FROM exchanges WHERE exchange_pk = ?").bind(id).run();
  }

  test::StoreFixture store_;
  sqlite::Database& db_ = store_.db();
  std::mt19937 random_{23};
};

TEST_F(FullTextIndexTest, AgreesWithFts5AfterAnyChanges) {
  store_.session({.native_id = "aaaa1"});
  auto reading = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  FullTextIndex index(reading, "exchanges_fts");
  std::int64_t next = 1;
  std::vector<std::int64_t> alive;
  for (int round = 0; round < 30; ++round) {
    {
      sqlite::Transaction tx(db_);
      for (auto n = random_() % 60; n > 0; --n) {
        const auto what = random_() % 4;
        if (what == 0 && !alive.empty()) {
          const auto at = random_() % alive.size();
          remove(alive[at]);
          alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (what == 1 && !alive.empty()) {
          const auto id = alive[random_() % alive.size()];
          remove(id);
          insert(id);
        } else {
          next += 1 + static_cast<std::int64_t>(random_() % 300 == 0 ? 100'000 : 0);
          insert(next);
          alive.push_back(next);
        }
      }
      tx.commit();
    }
    if (round == 10) db_.exec("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('merge', 40)");
    if (round == 20) db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
    db_.exec("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('merge', 3)");  // stops in the middle of a merge
    const auto expected = by_fts5(db_);
    index.refresh();
    EXPECT_EQ(index.documents(), std::ssize(alive));
    ASSERT_FALSE(expected.empty());
    for (const auto& [word, list] : expected) {
      ASSERT_EQ(by_pages(index, word), list) << word << " in round " << round;
      std::set<std::int64_t> documents;
      for (const auto& occurrence : list)
        documents.insert(std::get<0>(occurrence));
      ASSERT_EQ(index.count(word), std::ssize(documents)) << word << " in round " << round;
    }
    for (const char* nowhere : {"", "a", "w", "w1x", "zzz", "~"})
      EXPECT_TRUE(index.find(nowhere).empty()) << nowhere;
  }
}

// FTS5 reads the version when it opens a table. SQLite 3.42 writes version 5 for a table with secure deletion.
void write_newer_version(sqlite::Database& reading, sqlite::Database& writing, const std::string& table) {
  reading.prepare("SELECT 1 FROM " + table + " LIMIT 0").run();
  writing.exec(("UPDATE " + table + "_config SET v = 5 WHERE k = 'version'").c_str());
}

TEST_F(FullTextIndexTest, AnotherFormatIsReadByFts5) {
  store_.session({.native_id = "aaaa1"});
  std::int64_t alive = 0;
  {
    sqlite::Transaction tx(db_);
    for (int id = 1; id < 300; ++id)
      insert(id == 7 ? 100'000 : id);
    for (int id = 10; id < 20; ++id)
      remove(id);
    tx.commit();
    alive = 299 - 10;
  }
  const auto expected = by_fts5(db_);
  auto reading = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  EXPECT_TRUE(FullTextIndex(reading, "exchanges_fts").reads_pages());
  write_newer_version(reading, db_, "exchanges_fts");
  FullTextIndex index(reading, "exchanges_fts");
  ASSERT_FALSE(index.reads_pages());
  index.refresh();
  EXPECT_EQ(index.documents(), alive);
  EXPECT_EQ(index.segments(), 0u);
  for (const auto& [word, occurrences] : expected) {
    ASSERT_EQ(by_pages(index, word), occurrences) << word;
    std::set<std::int64_t> documents;
    for (const auto& [id, column, place] : occurrences)
      documents.insert(id);
    EXPECT_EQ(index.count(word), static_cast<std::int64_t>(documents.size())) << word;
    EXPECT_TRUE(index.contains_long_since(word));
  }
  EXPECT_FALSE(index.contains("nowhere"));
  EXPECT_EQ(index.count("nowhere"), 0);
  QueryLengths known;
  LengthReader lengths(index, known);
  EXPECT_EQ(lengths.words(1), 1) << "of equal length";
  EXPECT_EQ(lengths.cached_words(2), 1);
}

TEST_F(FullTextIndexTest, AnotherStructureIsAnotherFormat) {
  auto reading = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  reading.prepare("SELECT 1 FROM exchanges_fts LIMIT 0").run();  // this SQLite could not open it afterwards
  db_.exec(
      "UPDATE exchanges_fts_data SET block = substr(block, 1, 4) || X'FF000001' || substr(block, 5) WHERE id = 10");
  EXPECT_FALSE(FullTextIndex(reading, "exchanges_fts").reads_pages());
}

TEST_F(FullTextIndexTest, AQuestionFindsTheSameInAnotherFormat) {
  const auto other = store_.session({.native_id = "aaaa1", .title = "Cooking"});
  const auto named = store_.session({.native_id = "aaaa2", .title = "The migration of the billing tables"});
  for (int i = 0; i < 40; ++i)
    store_.exchange(other, {.user = "retry " + std::string(i % 3 == 0 ? "backoff " : "") + "item" + std::to_string(i),
                            .answer = i % 7 == 0 ? "the socket timeout fires" : "the timer runs"});
  store_.exchange(named, {.user = "start now", .answer = "the socket is closed, there was a timeout"});
  store_.exchange(other, {.user = "parseConfig fails", .answer = "see the parser of the config"});
  auto plain = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  auto reading = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  HybridSearch by_pages(plain);
  write_newer_version(reading, db_, "exchanges_fts");
  write_newer_version(reading, db_, "session_titles");
  HybridSearch by_fts5(reading);
  QueryLengths lengths;
  const auto found = [&](HybridSearch& search, const std::string& text) {
    SearchQuery query;
    query.asked = parse_query(text);
    query.limit = 100;
    std::set<ExchangeId> out;
    const auto answer = search.search(query, {}, lengths);
    for (const SearchHit& hit : answer.hits)
      out.insert(hit.id);
    return std::pair(out, answer.hits.empty() ? 0 : answer.hits.front().id);
  };
  for (const std::string text :
       {"socket timeout", "\"socket timeout\"", "backoff -socket", "parse config", "billing migration", "timout"}) {
    const auto want = found(by_pages, text);
    EXPECT_FALSE(want.first.empty()) << text;
    EXPECT_EQ(found(by_fts5, text).first, want.first) << text;
  }
  EXPECT_EQ(found(by_fts5, "billing migration"), found(by_pages, "billing migration"));
  EXPECT_EQ(found(by_fts5, "parseConfig"), found(by_pages, "parseConfig"));
}

TEST_F(FullTextIndexTest, LengthsAreInWords) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto a = store_.exchange(s, {.user = "one two three", .answer = "four"});
  const auto b = store_.exchange(s, {.user = "one", .tools = "two"});
  FullTextIndex index(db_, "exchanges_fts");
  index.refresh();
  QueryLengths known;
  LengthReader lengths(index, known);
  EXPECT_EQ(lengths.words(a), 4);
  EXPECT_EQ(lengths.words(99), 0);
  EXPECT_EQ(lengths.words(b), 2);
  EXPECT_DOUBLE_EQ(index.mean_length(), 3);
}

// For any bytes in a page, reading it terminates with an answer or an error.
TEST_F(FullTextIndexTest, DamageIsAnError) {
  store_.session({.native_id = "aaaa1"});
  {
    sqlite::Transaction tx(db_);
    for (int id = 1; id < 400; ++id)
      insert(id);
    tx.commit();
  }
  db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
  db_.exec("CREATE TEMP TABLE good AS SELECT * FROM exchanges_fts_data");
  int errors = 0;
  for (int round = 0; round < 400; ++round) {
    db_.exec("INSERT OR REPLACE INTO exchanges_fts_data SELECT * FROM good");
    auto& q = db_.prepare("SELECT id, block FROM good WHERE id > 1 ORDER BY random() LIMIT 1");
    ASSERT_TRUE(q.step());
    const auto id = q.int64(0);
    std::string block(q.blob(0));
    q.reset();
    if (round % 5 == 0)
      block.resize(random_() % block.size());
    else
      for (int n = 0; n < 4; ++n)
        block[random_() % (round % 2 == 0 ? std::min<std::size_t>(block.size(), 40) : block.size())] =
            static_cast<char>(random_());
    auto& change = db_.prepare("UPDATE exchanges_fts_data SET block = ?2 WHERE id = ?1");
    change.bind_at(1, id);
    change.bind_blob(2, block);
    change.run();
    const auto r = sqlite::guard([&] {
      FullTextIndex index(db_, "exchanges_fts");
      index.refresh();
      for (int w = 0; w < 40; ++w) {
        for (PostingCursor& cursor : index.find("w" + std::to_string(w)))
          for (std::size_t entries = 0; !cursor.at_end() && entries < 100'000; ++entries) {
            PositionBytes positions;
            if (entries % 2 == 0) cursor.append_positions(positions);
            for (PositionReader p(positions.view()); p.next();) {
            }
            cursor.next();
          }
      }
    });
    if (!r) {
      ++errors;
      EXPECT_TRUE(r.error().is(Errc::store_corrupt)) << r.error().message();
    }
  }
  EXPECT_GT(errors, 50);
}

}  // namespace
}  // namespace memd::search
