#include "store/write/session_tail.hpp"

#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/text/event_summary.hpp"
#include "store/write/exchange_rows.hpp"

#include <limits>
#include <string>
#include <string_view>

namespace memd::assembly {
namespace {
constexpr std::int64_t kPastTheLast = std::numeric_limits<std::int64_t>::max();
}

std::optional<SessionTail::ExchangeSpan> SessionTail::last_before(std::int64_t session_pk, std::int64_t number) {
  auto& q = db_.query(
      "SELECT exchange_number, first_seq, last_seq FROM exchanges WHERE session_pk = ? AND exchange_number < ?"
      " ORDER BY exchange_number DESC LIMIT 1",
      session_pk, number);
  std::optional<ExchangeSpan> span;
  if (const auto row = q.row()) span = ExchangeSpan{row->int64(0), row->int64(1), row->int64(2)};
  return span;
}

// Searches from the end backwards, because sessions mostly change there.
std::optional<SessionTail::Cut> SessionTail::find(std::int64_t session_pk, SourceId source, std::uint32_t keep) {
  std::optional<Cut> cut;
  std::int64_t number = kPastTheLast;
  std::int64_t first_seq = kPastTheLast;
  while (const auto span = last_before(session_pk, number)) {
    number = span->number;
    first_seq = span->first_seq;
    const auto row =
        db_.query("SELECT min(raw_offset) FROM events WHERE session_pk = ? AND seq BETWEEN ? AND ? AND source_pk = ?",
                  session_pk, span->first_seq, span->last_seq, source)
            .row();
    const bool has_rows = !row->is_null(0);
    const bool kept = has_rows && row->int64(0) <= static_cast<std::int64_t>(keep);
    if (kept) return cut;
    if (has_rows) cut = Cut{session_pk, span->first_seq, span->number};
  }
  // Events before the first exchange.
  if (const auto row = db_.query("SELECT seq FROM events WHERE session_pk = ? AND seq < ? AND source_pk = ? AND "
                                 "raw_offset > ? ORDER BY seq LIMIT"
                                 " 1",
                                 session_pk, first_seq, source, keep)
                           .row())
    cut = Cut{session_pk, row->int64(0), 0};
  return cut;
}

std::vector<SessionTail::OtherSource> SessionTail::other_sources(const Cut& cut, SourceId source) {
  return db_
      .query(sql_text("SELECT source_pk, state = SourceState::active FROM sources WHERE source_pk IN"
                      " (SELECT source_pk FROM events WHERE session_pk = ? AND seq >= ? AND source_pk <> ?)"),
             cut.session_pk, cut.seq, source)
      .all(sqlite::fields_of<OtherSource>);
}

std::map<std::int64_t, ExchangeId> SessionTail::remove(const Cut& cut) {
  auto exchanges = remove_rows({cut.session_pk, cut.seq, kPastTheLast, cut.exchange, kPastTheLast});
  restore_session(cut);
  return exchanges;
}

void SessionTail::remove_exchange(std::int64_t session_pk, std::int64_t number) {
  const auto row = db_.query("SELECT first_seq, last_seq FROM exchanges WHERE session_pk = ? AND exchange_number = ?",
                             session_pk, number)
                       .row();
  const Range range{session_pk, row->int64(0), row->int64(1), number, number};
  if (!row) return;
  remove_rows(range);
  for (const char* sql : {"UPDATE events SET pair_seq = NULL WHERE session_pk = ?1 AND seq > ?3"
                          " AND pair_seq BETWEEN ?2 AND ?3",
                          "UPDATE events SET parent_seq = NULL WHERE session_pk = ?1 AND seq > ?3"
                          " AND parent_seq BETWEEN ?2 AND ?3"})
    db_.run(sql, session_pk, range.first_seq, range.last_seq);
  // Of records that told the same once more; those of responses count exchanges.
  db_.run(
      "DELETE FROM identities WHERE session_pk = ?1 AND place BETWEEN ?2 AND ?3 AND identity | 65535 NOT IN"
      " (SELECT response_key | 65535 FROM responses WHERE session_pk = ?1)",
      session_pk, range.first_seq, range.last_seq);
  db_.run(
      "UPDATE sessions SET started_at = coalesce((SELECT min(nullif(time, 0)) FROM events WHERE session_pk = ?1), "
      "0),"
      " ended_at = max(coalesce((SELECT max(ended_at) FROM exchanges WHERE session_pk = ?1), 0),"
      " coalesce((SELECT max(time) FROM events WHERE session_pk = ?1), 0)) WHERE session_pk = ?1",
      session_pk);
}

std::map<std::int64_t, ExchangeId> SessionTail::remove_rows(const Range& range) {
  count_back(range);
  db_.run(sql_text("UPDATE events SET pair_seq = NULL WHERE session_pk = ?1 AND seq IN (SELECT pair_seq FROM events"
                   " WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND kind = EventKind::tool_result"
                   " AND pair_seq < ?2)"),
          range.session_pk, range.first_seq, range.last_seq);
  auto exchanges = remove_exchanges(range);
  for (const char* sql : {"DELETE FROM commits WHERE session_pk = ? AND event_seq BETWEEN ? AND ?",
                          "DELETE FROM pull_requests WHERE session_pk = ? AND event_seq BETWEEN ? AND ?",
                          "DELETE FROM events WHERE session_pk = ? AND seq BETWEEN ? AND ?"})
    db_.run(sql, range.session_pk, range.first_seq, range.last_seq);
  return exchanges;
}

// Subtracts the counts of the removed rows from the session's.
void SessionTail::count_back(const Range& range) {
  db_.run(sql_text("UPDATE sessions SET turns = sessions.turns - c.turns, retries = sessions.retries - c.retries,"
                   " tool_calls = sessions.tool_calls - c.calls, tool_pairs = sessions.tool_pairs - c.pairs,"
                   " tool_errors = sessions.tool_errors - c.errors, compactions = sessions.compactions -"
                   " c.compactions, started_at = iif(?2 = 0 OR c.earliest <= sessions.started_at, 0,"
                   " sessions.started_at) FROM (SELECT count(*) FILTER (WHERE kind = EventKind::user_msg"
                   " AND flags & kFlagStartsExchange) AS turns, count(*) FILTER (WHERE kind = EventKind::retry"
                   " AND flags & kFlagDerived) AS retries, count(*) FILTER (WHERE"
                   " kind = EventKind::tool_call) AS calls, count(DISTINCT pair_seq) FILTER (WHERE"
                   " kind = EventKind::tool_result) AS pairs, count(*) FILTER (WHERE kind = EventKind::tool_result"
                   " AND flags & kFlagError) AS errors, count(*) FILTER (WHERE kind = EventKind::lifecycle"
                   " AND (summary = 'compaction' OR summary LIKE 'compaction:%')) AS compactions,"
                   " min(nullif(time, 0)) AS earliest FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3)"
                   " AS c WHERE sessions.session_pk = ?1"),
          range.session_pk, range.first_seq, range.last_seq);
  // Usage seen before any exchange is stored under the number -1.
  const std::int64_t first_response = range.first_exchange == 0 && range.first_seq == 0 ? -1 : range.first_exchange;
  db_.run("DELETE FROM responses WHERE session_pk = ? AND exchange_number BETWEEN ? AND ?", range.session_pk,
          first_response, range.last_exchange);
}

std::map<std::int64_t, ExchangeId> SessionTail::remove_exchanges(const Range& range) {
  std::map<std::int64_t, ExchangeId> out;
  auto& q = db_.query(
      "SELECT exchange_number, exchange_pk FROM exchanges WHERE session_pk = ? AND exchange_number BETWEEN ? AND ?",
      range.session_pk, range.first_exchange, range.last_exchange);
  while (q.step())
    out[q.int64(0)] = q.int64(1);
  for (const auto& [number, pk] : out) {
    forget_texts(db_, "exchange_pk = ?1", pk);
    db_.run("DELETE FROM exchanges WHERE exchange_pk = ?", pk);
  }
  for (const char* sql : {"DELETE FROM exchange_files WHERE session_pk = ? AND exchange_number BETWEEN ? AND ?",
                          "DELETE FROM observations WHERE session_pk = ? AND exchange_number BETWEEN ? AND ?"})
    db_.run(sql, range.session_pk, range.first_exchange, range.last_exchange);
  return out;
}

// The attributes that events set are read back from the last exchange, which has all of them
// (SessionFacts::inherit_context).
void SessionTail::restore_session(const Cut& cut) {
  std::string cwd, branch, model, version;
  const auto last = last_before(cut.session_pk, kPastTheLast);
  if (last) {
    if (const auto row = db_.query("SELECT working_directory, git_branch, model_used, raw_format_version FROM "
                                   "exchanges WHERE session_pk = ?"
                                   " AND exchange_number = ?",
                                   cut.session_pk, last->number)
                             .row())
      cwd = row->str(0), branch = row->str(1), model = row->str(2), version = row->str(3);
    if (auto changed = last_change(cut.session_pk, *last, kCwdChange); !changed.empty()) cwd = std::move(changed);
    if (const auto changed = last_change(cut.session_pk, *last, kBranchChange); !changed.empty())
      branch = changed.substr(changed.rfind(kBranchArrow) + kBranchArrow.size());
  }
  db_.run(
      "UPDATE sessions SET cwd = ?2, git_branch = ?3, model = ?4, agent_version = ?5, next_seq = ?6,"
      " next_exchange = ?7, ended_at = max(coalesce((SELECT max(ended_at) FROM exchanges WHERE session_pk = ?1), 0),"
      " coalesce((SELECT max(time) FROM events WHERE session_pk = ?1 AND seq < coalesce((SELECT first_seq"
      " FROM exchanges WHERE session_pk = ?1 AND exchange_number = 0), ?6)), 0)) WHERE session_pk = ?1",
      cut.session_pk, cwd, branch, model, version, cut.seq, cut.exchange);
  // The end rarely contains the earliest event; only then are all times read.
  db_.run(
      "UPDATE sessions SET started_at = coalesce((SELECT min(nullif(time, 0)) FROM events WHERE session_pk = ?1), 0)"
      " WHERE session_pk = ?1 AND started_at = 0",
      cut.session_pk);
}

std::string SessionTail::last_change(std::int64_t session_pk, const ExchangeSpan& span, std::string_view prefix) {
  return db_
      .query(sql_text("SELECT substr(summary, length(?4) + 1) FROM events"
                      " WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND kind = EventKind::lifecycle"
                      " AND flags & kFlagDerived AND substr(summary, 1, length(?4)) = ?4 ORDER BY seq DESC LIMIT 1"),
             session_pk, span.first_seq, span.last_seq, prefix)
      .value_or("");
}

}  // namespace memd::assembly
