#include "store/write/observation_rows.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/plain_text.hpp"

#include <map>
#include <utility>

namespace memd::observations {
namespace {

constexpr int kDecisionsLookedAt = 200;  // newest decisions of a session that are searched for the reversed one

struct Place {
  std::int64_t seq = 0;
  TimeMs time = 0;
};

// The start and end of an exchange, and the places of its known decision sentences.
struct ExchangePlaces {
  Place first;
  Place last;
  std::map<std::uint64_t, Place> known;  // by the hash of their words

  const Place& of(const Decision& d) const {
    const auto it = known.find(words_hash(d.sentence));
    if (it != known.end()) return it->second;
    return d.by == DecidedBy::user ? first : last;
  }
};

std::optional<ExchangePlaces> places_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t number) {
  std::optional<ExchangePlaces> out;
  if (const auto row = db.query("SELECT first_seq, started_at, last_seq, ended_at FROM exchanges WHERE session_pk = ?1"
                                " AND exchange_number = ?2",
                                session_pk, number)
                           .row()) {
    out.emplace();
    out->first = {row->int64(0), row->int64(1)};
    out->last = {row->int64(2), row->int64(3)};
  }
  if (!out) return out;
  auto& known = db.query(
      "SELECT content_hash, event_seq, time FROM observations WHERE session_pk = ?1"
      " AND exchange_number = ?2 AND type = ?3 AND event_seq IS NOT NULL",
      session_pk, number, to_string(ObservationType::decision));
  while (known.step())
    out->known.emplace(from_sql(known.int64(0)), Place{known.int64(1), known.int64(2)});
  return out;
}

void drop_decisions(sqlite::Database& db, std::int64_t session_pk, std::int64_t number) {
  db.run(sql_text("DELETE FROM observations WHERE session_pk = ?1 AND exchange_number = ?2 AND type = ?3"
                  " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_pk = ?1 AND e.seq = observations.event_seq"
                  " AND (e.kind = EventKind::decision AND e.flags & kFlagDerived = 0 OR e.origin = Origin::plan))"),
         session_pk, number, to_string(ObservationType::decision));
}

void mark_all_reversed(sqlite::Database& db, std::int64_t session_pk) {
  db.run(
      "UPDATE decisions SET reversed_by = NULL WHERE reversed_by IS NOT NULL AND observation_pk IN"
      " (SELECT observation_pk FROM observations WHERE session_pk = ?)",
      session_pk);
  auto& q = db.query(
      "SELECT o.observation_pk, o.exchange_number, o.event_seq, o.content, d.kind, d.chosen, d.rejected"
      " FROM observations o JOIN decisions d USING (observation_pk) WHERE o.session_pk = ?1 AND o.type = ?2"
      " ORDER BY o.event_seq, o.observation_pk",
      session_pk, to_string(ObservationType::decision));
  std::vector<std::pair<std::int64_t, Observation>> found;
  while (q.step()) {
    Observation o;
    o.session_pk = session_pk;
    o.exchange_number = q.int64(1);
    o.event_seq = q.int64(2);
    Decision d;
    sqlite::read_from(q, 3, d.sentence, d.kind, d.chosen, d.rejected);
    if (!may_reverse(d)) continue;
    o.decision = std::move(d);
    found.emplace_back(q.int64(0), std::move(o));
  }
  for (const auto& [pk, later] : found)
    mark_reversed(db, pk, later);
}

}  // namespace

std::optional<std::int64_t> save(sqlite::Database& db, const Observation& o) {
  db.run(
      "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, tool,"
      " metadata, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?) ON CONFLICT DO NOTHING",
      o.session_pk, o.exchange_number, o.event_seq, o.time, to_string(o.type), o.summary, o.content, o.tool, o.metadata,
      as_sql(words_hash(o.content)));
  if (db.changes() == 0) return std::nullopt;
  const std::int64_t pk = db.last_insert_rowid();
  if (o.decision) {
    const Decision& d = *o.decision;
    db.run(
        "INSERT INTO decisions (observation_pk, kind, decided_by, chosen, rejected, reason, judged_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        pk, static_cast<int>(d.kind), static_cast<int>(d.by), d.chosen, d.rejected, d.reason, d.judged_by);
  }
  return pk;
}

bool may_reverse(const Decision& d) { return d.kind == DecisionKind::reversal || !d.rejected.empty(); }

void mark_reversed(sqlite::Database& db, std::int64_t pk, const Observation& later) {
  auto& q = db.query(
      "SELECT o.observation_pk, o.content, d.chosen FROM observations o JOIN decisions d USING (observation_pk)"
      " WHERE o.session_pk = ?1 AND o.type = ?2 AND (o.event_seq, o.observation_pk) < (?3, ?4)"
      " AND d.reversed_by IS NULL ORDER BY o.event_seq DESC, o.observation_pk DESC LIMIT ?5",
      later.session_pk, to_string(ObservationType::decision), later.event_seq, pk, kDecisionsLookedAt);
  std::optional<std::int64_t> found;
  while (!found && q.step()) {
    Decision earlier;
    earlier.sentence = q.str(1);
    earlier.chosen = q.str(2);
    if (reverses(*later.decision, earlier)) found = q.int64(0);
  }
  q.reset();
  if (found) db.run("UPDATE decisions SET reversed_by = ? WHERE observation_pk = ?", pk, *found);
}

void replace_decisions(sqlite::Database& db, std::int64_t session_pk, const std::vector<JudgedExchange>& exchanges) {
  if (exchanges.empty()) return;
  for (const JudgedExchange& exchange : exchanges) {
    const auto places = places_of(db, session_pk, exchange.number);
    if (!places) continue;
    drop_decisions(db, session_pk, exchange.number);
    for (const Decision& d : exchange.decisions) {
      const Place& place = places->of(d);
      Observation o;
      o.session_pk = session_pk;
      o.exchange_number = exchange.number;
      o.event_seq = place.seq;
      o.time = place.time;
      o.summary = first_line(d.sentence, kSummaryBytes);
      o.content = d.sentence;
      o.decision = d;
      save(db, o);
    }
  }
  mark_all_reversed(db, session_pk);
}

}  // namespace memd::observations
