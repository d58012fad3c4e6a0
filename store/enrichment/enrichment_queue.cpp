#include "store/enrichment/enrichment_queue.hpp"

#include "store/enrichment/enrichment_rows.hpp"

namespace memd::enrichment {

void enqueue(sqlite::Database& db, ExchangeId id) {
  db.prepare(
        "INSERT INTO enrichment_queue (exchange_pk) VALUES (?)"
        " ON CONFLICT DO UPDATE SET revision = revision + 1, missing = 3")
      .bind(id)
      .run();
}

void enqueue_vectors_of_all(sqlite::Database& db) {
  db.prepare(
        "INSERT INTO enrichment_queue (exchange_pk, missing) SELECT exchange_pk, 2 FROM exchanges WHERE true"
        " ON CONFLICT DO UPDATE SET missing = missing | 2")
      .bind()
      .run();
}

std::vector<PendingExchange> pending(sqlite::Database& db, unsigned missing, int limit) {
  auto& q = db.prepare(
                  "SELECT q.exchange_pk, q.revision, q.missing, e.session_pk, e.started_at, s.title, e.user_message,"
                  " e.interventions, e.assistant_response, e.answer_offset, e.tool_text FROM enrichment_queue q"
                  " JOIN exchanges e USING (exchange_pk) JOIN sessions s ON s.session_pk = e.session_pk"
                  " WHERE q.missing & ?1 <> 0 ORDER BY q.exchange_pk DESC LIMIT ?2")
                .bind(static_cast<std::int64_t>(missing), limit);
  std::vector<PendingExchange> out;
  while (q.step()) {
    PendingExchange& e = out.emplace_back();
    e.id = q.int64(0);
    e.revision = q.int64(1);
    e.missing = static_cast<unsigned>(q.int64(2));
    e.session_pk = q.int64(3);
    e.started_at = q.int64(4);
    e.session_title = q.str(5);
    e.user_message = q.str(6);
    e.interventions = q.str(7);
    e.assistant_response = q.str(8);
    e.answer_offset = q.int64(9);
    e.tool_text = q.str(10);
  }
  q.reset();
  return out;
}

EnrichmentBacklog backlog(sqlite::Database& db) {
  auto& q = db.prepare("SELECT coalesce(sum(missing & 1), 0), coalesce(sum(missing >> 1), 0) FROM enrichment_queue");
  q.bind();
  q.step();
  const EnrichmentBacklog out{q.int64(0), q.int64(1)};
  q.reset();
  return out;
}

void save(sqlite::Database& db, std::span<const Enrichment> made) {
  for (const Enrichment& e : made) {
    auto& exists = db.prepare("SELECT 1 FROM exchanges WHERE exchange_pk = ?").bind(e.id);
    const bool found = exists.step();
    exists.reset();
    if (!found) continue;
    if (e.terms) save_terms(db, e.id, *e.terms);
    if (e.vectors) save_vectors(db, e.id, *e.vectors);
    const unsigned done = (e.terms ? kMissingTerms : 0U) | (e.vectors ? kMissingVectors : 0U);
    db.prepare("DELETE FROM enrichment_queue WHERE exchange_pk = ?1 AND revision = ?2 AND missing & ~?3 = 0")
        .bind(e.id, e.revision, static_cast<std::int64_t>(done))
        .run();
    db.prepare("UPDATE enrichment_queue SET missing = missing & ~?3 WHERE exchange_pk = ?1 AND revision = ?2")
        .bind(e.id, e.revision, static_cast<std::int64_t>(done))
        .run();
  }
}

}  // namespace memd::enrichment
