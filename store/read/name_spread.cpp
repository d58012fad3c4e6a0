#include "store/read/name_spread.hpp"

namespace memd {

NameSpreadQuery::Answer NameSpreadQuery::run(sqlite::Database& db) const {
  std::int64_t first = 0;
  if (const auto row = db.prepare("SELECT coalesce(max(exchange_pk), 0) FROM exchanges").row())
    first = row->int64(0) - kSpreadExchanges;
  continuity::NameSpread all;
  auto& sessions = db.prepare("SELECT count(*), count(DISTINCT project_pk) FROM sessions");
  if (const auto row = sessions.row()) {
    all.all_sessions = static_cast<std::size_t>(row->int64(0));
    all.all_projects = static_cast<std::size_t>(row->int64(1));
  }
  Answer out;
  auto& q = db.prepare(
      "SELECT count(DISTINCT e.session_pk), count(DISTINCT s.project_pk) FROM"
      " (SELECT rowid AS pk FROM exchanges_fts WHERE exchanges_fts MATCH ?1 AND rowid > ?2 LIMIT ?3)"
      " JOIN exchanges e ON e.exchange_pk = pk JOIN sessions s USING (session_pk)");
  for (const std::string& name : names) {
    continuity::NameSpread spread = all;
    const std::string phrase = '"' + name + '"';
    if (const auto row = q.bind(phrase, first, kSpreadHits).row()) {
      spread.sessions = static_cast<std::size_t>(row->int64(0));
      spread.projects = static_cast<std::size_t>(row->int64(1));
    }
    out.push_back(spread);
  }
  return out;
}

}  // namespace memd
