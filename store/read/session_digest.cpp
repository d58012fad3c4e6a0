#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_contents.hpp"

namespace memd {
namespace {

std::vector<ExchangeFile> modified_files(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                         std::int64_t last) {
  auto& q = db.prepare(
      "SELECT f.exchange_number, f.path_pk, p.path, f.touches, f.lines_added, f.lines_removed FROM exchange_files f"
      " JOIN paths p ON p.path_pk = f.path_pk WHERE f.session_pk = ?1 AND f.exchange_number BETWEEN ?2 AND ?3"
      " AND f.access = ?4 ORDER BY f.exchange_number, p.path");
  q.bind(session_pk, first, last, static_cast<int>(FileAccess::modified));
  std::vector<ExchangeFile> out;
  while (q.step())
    out.push_back({q.int64(0), q.int64(1), q.str(2), FileAccess::modified, q.int64(3), q.int64(4), q.int64(5)});
  q.reset();
  return out;
}

std::vector<Observation> observations(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                      std::int64_t last) {
  auto& q = db.prepare(
      "SELECT exchange_number, event_seq, time, type, summary, content, coalesce(tool, '') FROM observations"
      " WHERE session_pk = ?1 AND exchange_number BETWEEN ?2 AND ?3 ORDER BY event_seq, observation_pk");
  q.bind(session_pk, first, last);
  std::vector<Observation> out;
  while (q.step()) {
    Observation o;
    o.session_pk = session_pk;
    o.exchange_number = q.int64(0);
    o.event_seq = q.int64(1);
    o.time = q.int64(2);
    o.type = parse_observation_type(q.text(3)).value_or(ObservationType::discovery);
    o.summary = q.str(4);
    o.content = q.str(5);
    o.tool = q.str(6);
    out.push_back(std::move(o));
  }
  q.reset();
  return out;
}

}  // namespace

SessionDigest SessionDigestQuery::run(sqlite::Database& db) const {
  return {queries::exchange_texts(db, session_pk, first_number, last_number),
          modified_files(db, session_pk, first_number, last_number),
          observations(db, session_pk, first_number, last_number),
          queries::commits_of(db, session_pk, first_number, last_number), queries::pull_requests_of(db, session_pk)};
}

}  // namespace memd
