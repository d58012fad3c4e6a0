#include "store/enrich/second_look.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "store/db/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace memd {

std::string second_look_text(std::string_view prompt, std::string_view response, std::int64_t answer_offset) {
  constexpr std::size_t kPartBytes = 450;  // with both parts the network takes some 20 ms
  const auto begin = std::clamp<std::int64_t>(answer_offset, 0, static_cast<std::int64_t>(response.size()));
  const std::string_view answer = utf8_prefix(response.substr(static_cast<std::size_t>(begin)), kPartBytes);
  std::string out(utf8_prefix(prompt, kPartBytes));
  if (!out.empty() && !answer.empty()) out += '\n';
  return out.append(answer);
}

}  // namespace memd

namespace memd::second_look {
namespace {

// The key of the network's name in meta. Without it the second look is off.
constexpr std::string_view kModelKey = "second_look_model";

std::string model_of(sqlite::Database& db) {
  return db.query("SELECT CAST(value AS TEXT) FROM meta WHERE key = ?", kModelKey).value_or("");
}

}  // namespace

// Not one statement: SQLite opens a savepoint for an INSERT … SELECT, and FTS5 writes a segment at each savepoint.
void enqueue(sqlite::Database& db, ExchangeId id) {
  const bool is_on = db.query("SELECT 1 FROM meta WHERE key = ?", kModelKey).any();
  if (!is_on) return;
  db.run("INSERT INTO second_look (exchange_pk) VALUES (?) ON CONFLICT DO UPDATE SET waiting = waiting + 1", id);
}

void set_model(sqlite::Database& db, std::string_view model) {
  if (model == model_of(db)) return;
  if (model.empty()) {
    db.run("DELETE FROM meta WHERE key = ?", kModelKey);
    return;
  }
  db.run("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", kModelKey, model);
  db.run(
      "INSERT INTO second_look (exchange_pk) SELECT exchange_pk FROM exchanges WHERE true"
      " ON CONFLICT DO UPDATE SET waiting = waiting + 1, text_hash = 0, vector = NULL");
}

std::int64_t drop_some(sqlite::Database& db, int limit) {
  db.run(
      "DELETE FROM second_look WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = ?2)"
      " AND exchange_pk IN (SELECT exchange_pk FROM second_look LIMIT ?1)",
      limit, kModelKey);
  return db.changes();
}

void save(sqlite::Database& db, std::span<const SecondLookVector> made) {
  auto& update = db.prepare(
      "UPDATE second_look SET waiting = iif(waiting = ?2, 0, waiting), text_hash = ?3,"
      " vector = iif(?4 IS NULL AND text_hash = ?3, vector, ?4) WHERE exchange_pk = ?1");
  for (const SecondLookVector& v : made) {
    const auto bytes = std::as_bytes(std::span(v.vector));
    update.bind(v.id, v.waiting, as_sql(v.text_hash), bytes.empty() ? std::nullopt : std::optional(bytes)).run();
  }
}

void forget(sqlite::Database& db, ExchangeId id) {
  db.run("UPDATE second_look SET text_hash = 0, vector = NULL WHERE exchange_pk = ?", id);
}

}  // namespace memd::second_look

namespace memd {

std::vector<PendingSecondLook> SecondLookPendingQuery::run(sqlite::Database& db) const {
  // CROSS JOIN keeps the order of the tables, so that the index of the waiting rows is used.
  auto& q = db.query(
      "SELECT w.exchange_pk, w.waiting, iif(w.vector IS NULL, NULL, w.text_hash), e.ended_at, e.user_message,"
      " e.assistant_response, e.answer_offset FROM second_look w CROSS JOIN exchanges e"
      " USING (exchange_pk) WHERE w.waiting AND w.exchange_pk < ?2 ORDER BY w.exchange_pk DESC LIMIT ?1",
      limit, below);
  std::vector<PendingSecondLook> out;
  while (q.step()) {
    PendingSecondLook& e = out.emplace_back();
    e.id = q.int64(0);
    e.waiting = q.int64(1);
    if (!q.is_null(2)) e.text_hash = from_sql(q.int64(2));
    e.ended_at = q.int64(3);
    e.text = second_look_text(q.text(4), q.text(5), q.int64(6));
  }
  return out;
}

std::vector<std::vector<std::int8_t>> SecondLookVectorsQuery::run(sqlite::Database& db) const {
  Answer out(ids.size());
  if (model.empty() || second_look::model_of(db) != model) return out;
  auto& q = db.prepare("SELECT vector FROM second_look WHERE exchange_pk = ? AND vector IS NOT NULL");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const auto row = q.bind(ids[i]).row()) {
      const std::string_view bytes = row->blob(0);
      const auto* begin = reinterpret_cast<const std::int8_t*>(bytes.data());
      out[i].assign(begin, begin + bytes.size());
    }
  }
  return out;
}

SecondLookBacklog SecondLookBacklogQuery::run(sqlite::Database& db) const {
  SecondLookBacklog out;
  out.model = second_look::model_of(db);
  const auto row =
      db.query(
            "SELECT (SELECT count(*) FROM exchanges), (SELECT count(*) FROM second_look WHERE vector IS NOT NULL),"
            " (SELECT count(*) FROM second_look WHERE waiting)")
          .row();
  sqlite::read(*row, out.exchanges, out.made, out.waiting);
  return out;
}

}  // namespace memd
