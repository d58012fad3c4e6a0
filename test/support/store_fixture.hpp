#pragma once

#include "schemas/base/hash.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"
#include "store/db/database.hpp"
#include "test/support/temp_dir.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

struct ExchangeTexts {
  std::string user;
  std::string answer;
  std::string tools;
  std::string interventions;
  std::vector<std::string> files;
  TimeMs time = 0;  // 0: one minute after the previous exchange
};

struct SessionSpec {
  std::string native_id;
  std::string title;
  Platform platform = Platform::claude_code;
  std::string project = "/home/u/app";
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  TimeMs start = 1'770'000'000'000;
};

// A store that a test fills row by row over its own connection.
class StoreFixture {
 public:
  StoreFixture() : db_(sqlite::Database::open(file(), sqlite::OpenMode::read_write)) { sqlite::migrate(db_); }

  std::filesystem::path file() const { return dir_.path() / "memd.db"; }
  sqlite::Database& db() { return db_; }

  std::int64_t session(const SessionSpec& spec) {
    db_.prepare("INSERT OR IGNORE INTO projects (identity_key, name) VALUES (?, ?)")
        .bind(spec.project, spec.project.substr(spec.project.rfind('/') + 1))
        .run();
    const std::string uid = make_session_uid(spec.platform, spec.native_id);
    db_.prepare(
           "INSERT INTO sessions (uid, platform, native_id, kind, parent_uid, title, started_at, ended_at, ingested_at,"
           " turns, project_pk, own_project_pk) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, project_pk, project_pk"
           " FROM (SELECT (SELECT project_pk FROM projects WHERE identity_key = ?) AS project_pk)")
        .bind(uid, to_string(spec.platform), spec.native_id, static_cast<int>(spec.kind), spec.parent_uid, spec.title,
              spec.start, spec.start, spec.start, spec.project)
        .run();
    return db_.last_insert_rowid();
  }

  ExchangeId exchange(std::int64_t session, const ExchangeTexts& texts) {
    auto& last =
        db_.prepare("SELECT next_exchange, next_seq, ended_at FROM sessions WHERE session_pk = ?").bind(session);
    last.step();
    const std::int64_t number = last.int64(0);
    const std::int64_t seq = last.int64(1);
    const TimeMs time = texts.time != 0 ? texts.time : last.int64(2) + 60'000;
    last.reset();
    db_.prepare(
           "INSERT INTO exchanges (session_pk, exchange_number, first_seq, last_seq, started_at, ended_at,"
           " user_message, interventions, assistant_response, tool_text, content_hash, ingested_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)")
        .bind(session, number, seq, seq - 1, time, time + 1000, texts.user, texts.interventions, texts.answer,
              texts.tools, as_sql(hash64(texts.user + '\0' + texts.answer)))
        .run();
    const ExchangeId id = db_.last_insert_rowid();
    db_.prepare(
           "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
           " VALUES (?, ?, ?, ?, ?)")
        .bind(id, texts.user, texts.interventions, texts.answer, texts.tools)
        .run();
    db_.prepare(
           "UPDATE sessions SET next_exchange = next_exchange + 1, turns = max(turns, next_exchange + 1),"
           " ended_at = max(ended_at, ?1), ingested_at = max(ingested_at, ?1) WHERE session_pk = ?2")
        .bind(time + 1000, session)
        .run();
    for (const auto& path : texts.files)
      touch(session, number, path);
    return id;
  }

  // Appends an event to the session's last exchange. Returns its sequence number.
  std::int64_t event(std::int64_t session, EventKind kind, std::string_view tool, std::string_view summary,
                     std::int64_t source = 0) {
    auto& next = db_.prepare("SELECT next_seq, next_exchange FROM sessions WHERE session_pk = ?").bind(session);
    next.step();
    const std::int64_t seq = next.int64(0);
    const std::int64_t number = next.int64(1) - 1;
    next.reset();
    auto& insert = db_.prepare(
        "INSERT INTO events (session_pk, seq, event_id, time, kind, tool, summary, source_pk, raw_offset, raw_length,"
        " raw_block) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, nullif(?7, 0), iif(?7 = 0, NULL, ?2 * 100),"
        " iif(?7 = 0, NULL, 99), 0)");
    insert.bind(session, seq, session * 1'000'000 + seq, static_cast<int>(kind), tool, summary, source).run();
    db_.prepare("UPDATE exchanges SET last_seq = ? WHERE session_pk = ? AND exchange_number = ?")
        .bind(seq, session, number)
        .run();
    db_.prepare("UPDATE sessions SET next_seq = next_seq + 1 WHERE session_pk = ?").bind(session).run();
    if (kind == EventKind::tool_call) call(session, number, tool);
    return seq;
  }

  // A response of a model, finished and without further facts.
  void response(std::int64_t session, std::int64_t number, const TokenUsage& usage, TimeMs time,
                std::string_view model = {}) {
    if (!model.empty()) db_.prepare("INSERT OR IGNORE INTO models (model) VALUES (?)").bind(model).run();
    db_.prepare(
           "INSERT INTO responses (session_pk, exchange_number, response_key, time, model_pk, flags, input, output,"
           " cache_read, cache_creation, cache_creation_1h, reasoning, web_searches) VALUES (?1, ?2,"
           " (SELECT count(*) * 131072 FROM responses), ?3, coalesce((SELECT model_pk FROM models WHERE model = ?4), "
           "0),"
           " 0, ?5, ?6, ?7, ?8, ?9, ?10, 0)")
        .bind(session, number, time, model, usage.input, usage.output, usage.cache_read, usage.cache_creation,
              usage.cache_creation_1h, usage.reasoning)
        .run();
  }

  std::int64_t source(Platform platform, std::string_view path, std::int64_t size, std::int64_t cursor) {
    db_.prepare("INSERT INTO sources (platform, path, format, size, cursor) VALUES (?, ?, 0, ?, ?)")
        .bind(to_string(platform), path, size, cursor)
        .run();
    return db_.last_insert_rowid();
  }

  void ledger(std::int64_t source, std::string_view type, Disposition disposition, std::int64_t bytes) {
    db_.prepare(
           "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES (?, ?, ?, '', 1, "
           "?)")
        .bind(source, type, static_cast<int>(disposition), bytes)
        .run();
  }

 private:
  void touch(std::int64_t session, std::int64_t number, const std::string& path) {
    db_.prepare("INSERT OR IGNORE INTO paths (path) VALUES (?)").bind(path).run();
    db_.prepare(
           "INSERT INTO exchange_files (session_pk, exchange_number, path_pk, access)"
           " VALUES (?, ?, (SELECT path_pk FROM paths WHERE path = ?), 1)")
        .bind(session, number, path)
        .run();
  }

  void call(std::int64_t session, std::int64_t number, std::string_view tool) {
    db_.prepare("INSERT OR IGNORE INTO tools (tool) VALUES (?)").bind(tool).run();
    db_.prepare(
           "INSERT OR IGNORE INTO exchange_tools SELECT exchange_pk, (SELECT tool_pk FROM tools WHERE tool = ?3)"
           " FROM exchanges WHERE session_pk = ?1 AND exchange_number = ?2")
        .bind(session, number, tool)
        .run();
  }

  TempDir dir_;
  sqlite::Database db_;
};

}  // namespace memd::test
