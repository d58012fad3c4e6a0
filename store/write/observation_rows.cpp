#include "store/write/observation_rows.hpp"

#include "schemas/event.hpp"
#include "schemas/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/summary/observations.hpp"

#include <optional>

namespace memd::assembly {

void ObservationRows::save(const Observation& o) {
  db_.prepare(
         "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, tool,"
         " metadata, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?) ON CONFLICT DO NOTHING")
      .bind(o.session_pk, o.exchange_number, o.event_seq, o.time, to_string(o.type), o.summary, o.content, o.tool,
            o.metadata, as_sql(words_hash(o.content)))
      .run();
}

std::vector<std::string> ObservationRows::edits_since_failure(std::int64_t session_pk, std::int64_t first_seq,
                                                              std::int64_t call_seq, std::uint64_t input_hash) {
  auto& last =
      db_.prepare(sql_text("SELECT r.seq, r.flags FROM events c JOIN events r ON r.session_pk = c.session_pk"
                           " AND r.seq = c.pair_seq WHERE c.session_pk = ?1 AND c.seq >= ?2 AND c.seq < ?3"
                           " AND c.kind = EventKind::tool_call AND c.input_hash = ?4 ORDER BY c.seq DESC LIMIT 1"));
  last.bind(session_pk, first_seq, call_seq, as_sql(input_hash));
  std::optional<std::int64_t> failed_at;
  if (last.step() && (static_cast<std::uint32_t>(last.int64(1)) & kFlagError) != 0) failed_at = last.int64(0);
  last.reset();
  std::vector<std::string> paths;
  if (!failed_at) return paths;
  auto& q =
      db_.prepare(sql_text("SELECT DISTINCT p.path FROM events e JOIN paths p ON p.path_pk = e.path_pk"
                           " WHERE e.session_pk = ?1 AND e.seq > ?2 AND e.seq < ?3 AND e.kind = EventKind::edit"
                           " AND e.flags & ?4 = 0 ORDER BY p.path"));
  q.bind(session_pk, *failed_at, call_seq, static_cast<std::int64_t>(kFlagPlanned));
  while (q.step())
    paths.push_back(q.str(0));
  q.reset();
  return paths;
}

}  // namespace memd::assembly
