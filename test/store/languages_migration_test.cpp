#include "schemas/embedded.hpp"
#include "schemas/search.hpp"
#include "store/db/database.hpp"
#include "store/reader.hpp"
#include "test/support/old_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace memd {
namespace {

using sqlite::Database;
using sqlite::OpenMode;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kBefore = 10;  // the last version that tokenized texts with `porter unicode61`

// A store as memd of that version wrote it.
class LanguagesMigration : public testing::Test {
 protected:
  LanguagesMigration() {
    auto db = Database::open(file_, OpenMode::read_write);
    test::make_tables_of(db, kBefore);
    db.exec(
        "INSERT INTO sessions (uid, platform, native_id, kind, title) VALUES"
        " ('codex:a', 'codex', 'a', 0, 'Настройка сервера'), ('codex:b', 'codex', 'b', 0, 'Sockets')");
    const char* const texts[][2] = {{"how does the pool of connections work", "it reuses sockets — naïvely"},
                                    {"数据库连接池怎么配置", "修改 config.yaml 里的 maxConnections"},
                                    {"서버를 재시작해 줘", "재시작했습니다"},
                                    {"ошибки при запуске серверов", "исправил настройку"},
                                    {"please check the migration", "it is ok 😀"}};
    int number = 0;
    for (const auto& [user, answer] : texts) {
      db.prepare(
            "INSERT INTO exchanges (session_pk, exchange_number, first_seq, last_seq, started_at, ended_at,"
            " user_message, interventions, assistant_response, tool_text, ingested_at)"
            " VALUES (1, ?1, ?1, ?1, 1, 1, ?2, '', ?3, '', 1)")
          .bind(number++, user, answer)
          .run();
      db.exec(
          "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
          " SELECT exchange_pk, user_message, interventions, assistant_response, tool_text FROM exchanges"
          " ORDER BY exchange_pk DESC LIMIT 1");
    }
    db.exec("INSERT INTO topics (topic_pk, topic, stems) VALUES (1, 'сервера', 'сервера'), (2, 'pool', 'pool')");
    db.exec("INSERT INTO exchange_topics (topic_pk, exchange_pk, relevance_score) VALUES (1, 4, 1), (2, 1, 1)");
    db.exec("DELETE FROM enrichment_queue");
  }

  static void check_index(Database& db) {
    db.exec("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('integrity-check', 1)");
    db.exec("INSERT INTO session_titles (session_titles, rank) VALUES ('integrity-check', 1)");
  }
  static std::vector<std::int64_t> rows(Database& db, const std::string& sql) {
    std::vector<std::int64_t> out;
    auto& q = db.prepare(sql);
    while (q.step())
      out.push_back(q.int64(0));
    q.reset();
    return out;
  }
  static std::vector<std::int64_t> matches(Database& db, std::string_view question) {
    return rows(db, "SELECT rowid FROM exchanges_fts WHERE exchanges_fts MATCH '" + std::string(question) + "'");
  }
  std::vector<ExchangeId> search(std::string_view text) {
    Reader reader(file_);
    SearchQuery q;
    q.text = text;
    const auto answer = reader.search(q);
    EXPECT_TRUE(answer);
    std::vector<ExchangeId> out;
    for (const auto& hit : answer->hits)
      out.push_back(hit.id);
    return out;
  }

  test::TempDir dir_;
  const std::filesystem::path file_ = dir_ / "memd.db";
};

TEST_F(LanguagesMigration, TextsAreCutAnew) {
  auto db = Database::open(file_, OpenMode::read_write);
  auto other = Database::open(file_, OpenMode::read_only);
  EXPECT_THAT(matches(db, "数据"), IsEmpty());
  EXPECT_THAT(matches(other, "socket"), ElementsAre(1));
  check_index(db);
  sqlite::migrate(db);
  check_index(db);
  for (Database* const through : {&db, &other}) {  // a connection that was open during the migration
    EXPECT_THAT(matches(*through, "数据"), ElementsAre(2));
    EXPECT_THAT(matches(*through, "서버"), ElementsAre(3));
    EXPECT_THAT(matches(*through, "сервер"), ElementsAre(4));
    EXPECT_THAT(matches(*through, "socket"), ElementsAre(1));
    EXPECT_THAT(matches(*through, "config"), ElementsAre(2));
  }
  EXPECT_THAT(rows(db, "SELECT rowid FROM session_titles WHERE session_titles MATCH 'сервер'"), ElementsAre(1));
  EXPECT_THAT(rows(db, "SELECT topic_pk FROM topics"), ElementsAre(2));
  EXPECT_THAT(rows(db, "SELECT exchange_pk FROM enrichment_queue WHERE missing = 1"), ElementsAre(2, 3, 4));
}

TEST_F(LanguagesMigration, WhatWasMigratedIsSearchedAndWritten) {
  {
    auto db = Database::open(file_, OpenMode::read_write);
    sqlite::migrate(db);
  }
  EXPECT_THAT(search("连接池"), ElementsAre(2));
  EXPECT_THAT(search("재시작"), ElementsAre(3));
  EXPECT_THAT(search("ошибка запуска сервера"), ElementsAre(4));
  EXPECT_THAT(search("connection pools"), ElementsAre(1));
  auto db = Database::open(file_, OpenMode::read_write);
  db.exec("UPDATE sessions SET title = '数据库' WHERE session_pk = 1");
  db.exec(
      "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)"
      " SELECT 'delete', exchange_pk, user_message, interventions, assistant_response, tool_text FROM exchanges"
      " WHERE exchange_pk IN (1, 3)");
  db.exec("DELETE FROM exchanges WHERE exchange_pk IN (1, 3)");
  check_index(db);
  EXPECT_THAT(matches(db, "서버 OR socket"), IsEmpty());
}

// If the process is killed at any time before the commit, the store is unchanged.
TEST_F(LanguagesMigration, HalfOfItIsNothing) {
  const auto& migration = migrations().at(kBefore);
  ASSERT_EQ(migration.number, kBefore + 1);
  {
    auto db = Database::open(file_, OpenMode::read_write);
    sqlite::Transaction tx(db);
    db.exec(std::string(migration.sql).c_str());
    EXPECT_THAT(matches(db, "数据"), ElementsAre(2));
  }
  auto db = Database::open(file_, OpenMode::read_write);
  check_index(db);
  EXPECT_THAT(matches(db, "数据"), IsEmpty());
  EXPECT_THAT(matches(db, "socket"), ElementsAre(1));
  sqlite::migrate(db);
  check_index(db);
  EXPECT_THAT(matches(db, "数据"), ElementsAre(2));
}

}  // namespace
}  // namespace memd
