#include "store/enrich/decision_judging.hpp"

#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/exchanges.hpp"

#include <limits>
#include <string_view>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kBeforeBytes = 1500;

// Returns the last kBeforeBytes of the text, starting at a line or word boundary.
std::string end_of(std::string_view text) {
  if (text.size() <= kBeforeBytes) return std::string(text);
  text.remove_prefix(text.size() - kBeforeBytes);
  const auto border = text.find_first_of("\n ");
  return std::string(border == std::string_view::npos ? std::string_view() : text.substr(border + 1));
}

}  // namespace

JudgeBacklog JudgeBacklogQuery::run(sqlite::Database& db) const {
  constexpr std::string_view kWaiting =
      " FROM sessions s WHERE s.analysis_version = ?1 AND s.judge_version < ?2 AND s.next_seq > 0 AND s.parent_uid = ''"
      " AND (s.evicted_at IS NULL OR s.evicted_at < s.ingested_at)";
  static const std::string count = "SELECT count(*)" + std::string(kWaiting);
  static const std::string page = "SELECT s.session_pk, s.next_seq, s.ingested_at, s.uid" + std::string(kWaiting) +
                                  " ORDER BY s.ended_at DESC, s.session_pk DESC LIMIT ?3";
  JudgeBacklog out;
  out.waiting = db.query(count, analysis::kVersion, analysis::kJudgeVersion).value_or(0);
  out.due = db.query(page, analysis::kVersion, analysis::kJudgeVersion, limit).all(sqlite::fields_of<SessionToJudge>);
  return out;
}

std::vector<ExchangeToJudge> ExchangesToJudgeQuery::run(sqlite::Database& db) const {
  auto& dialogs = db.prepare(
      sql_text("SELECT summary FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3"
               " AND kind = EventKind::decision AND flags & kFlagDerived = 0 AND summary <> '' ORDER BY seq"));
  std::vector<ExchangeToJudge> out;
  std::string before;
  for (ExchangeRow& row : queries::exchange_texts(db, session_pk, 0, std::numeric_limits<std::int64_t>::max())) {
    ExchangeToJudge one;
    one.number = row.number;
    one.before = std::exchange(before, end_of(row.assistant_response));
    if (row.is_evicted()) continue;
    one.user_message = std::move(row.user_message);
    one.interventions = std::move(row.interventions);
    one.assistant_response = std::move(row.assistant_response);
    one.dialogs = dialogs.bind(session_pk, row.first_seq, row.last_seq).all(sqlite::first_text);
    if (!one.user_message.empty() || !one.interventions.empty() || !one.assistant_response.empty())
      out.push_back(std::move(one));
  }
  return out;
}

VersionState SessionVersionQuery::run(sqlite::Database& db) const {
  auto& q = db.query("SELECT next_seq = ?2 AND ingested_at = ?3 FROM sessions WHERE session_pk = ?1",
                     version.session_pk, version.next_seq, version.ingested_at);
  VersionState out = VersionState::gone;
  if (const auto row = q.row()) out = row->int64(0) != 0 ? VersionState::unchanged : VersionState::continued;
  return out;
}

namespace analysis {

void mark_judged(sqlite::Database& db, std::int64_t session_pk) {
  db.run("UPDATE sessions SET judge_version = ?2 WHERE session_pk = ?1", session_pk, kJudgeVersion);
}

}  // namespace analysis
}  // namespace memd
