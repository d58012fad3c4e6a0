#include "store/read/session_rows.hpp"

#include "schemas/base/error.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/insight/outcome.hpp"
#include "store/read/session_titles.hpp"
#include "store/read/usage.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memd::queries {
namespace {

// Stretches of time, of which those that overlap count once.
class WorkSpans {
 public:
  void add(TimeMs start, TimeMs end) { spans_.emplace_back(start, end); }

  std::optional<TimeMs> total() {
    if (spans_.empty()) return std::nullopt;
    std::sort(spans_.begin(), spans_.end());
    TimeMs sum = 0;
    TimeMs covered = 0;
    for (const auto& [start, end] : spans_) {
      sum += std::max<TimeMs>(0, end - std::max(start, covered));
      covered = std::max(covered, end);
    }
    return sum;
  }

 private:
  std::vector<std::pair<TimeMs, TimeMs>> spans_;
};

// An exchange within kStoppedAfter is one span. A longer one may contain idle time (a question that nobody answered, a
// session continued days later), so its spans come from its events: those that follow each other within that time, and
// a tool call with its result, if that came within a day.
void add_work_of_events(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq,
                        WorkSpans& spans) {
  struct Moment {
    std::int64_t seq = 0;
    TimeMs time = 0;
    std::int64_t result_seq = 0;  // of a call; -1: it has none
  };
  auto moments =
      db.query(sql_text("SELECT seq, time, iif(kind = EventKind::tool_call, coalesce(pair_seq, -1), -1)"
                        " FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND time > 0 ORDER BY seq"),
               session_pk, first_seq, last_seq)
          .all(sqlite::fields_of<Moment>);
  for (const Moment& call : moments) {
    if (call.result_seq < 0) continue;
    const auto result = std::ranges::lower_bound(moments, call.result_seq, {}, &Moment::seq);
    const bool inside = result != moments.end() && result->seq == call.result_seq;
    const TimeMs answered =
        inside ? result->time
               : db.query("SELECT time FROM events WHERE session_pk = ?1 AND seq = ?2", session_pk, call.result_seq)
                     .value_or(0);
    const TimeMs took = answered - call.time;
    const bool is_between_events = inside && took <= kStoppedAfter;
    if (took >= 0 && took <= kMsPerDay && !is_between_events) spans.add(call.time, answered);
  }
  std::ranges::sort(moments, {}, &Moment::time);
  for (auto begin = moments.begin(); begin != moments.end();) {
    auto last = begin;
    while (last + 1 != moments.end() && (last + 1)->time - last->time <= kStoppedAfter)
      ++last;
    if (last != begin) spans.add(begin->time, last->time);
    begin = last + 1;
  }
}

// Evicted exchanges have no events; their time is in the digest.
TimeMs digested_work_time(sqlite::Database& db, std::int64_t session_pk) {
  return db.query("SELECT wall_clock_ms FROM session_digests WHERE session_pk = ?1", session_pk).value_or(0);
}

// The file that the session is read from; of an evicted one, as its digest says.
const std::string kSourcePath =
    "coalesce(src.path, (SELECT d.source_path FROM session_digests d WHERE d.session_pk = s.session_pk), '')";
// The bytes of the session in it; NULL: unknown.
const std::string kSourceBytes = R"(
  CASE WHEN s.source_pk IS NULL THEN
         (SELECT d.source_bytes FROM session_digests d WHERE d.session_pk = s.session_pk)
       WHEN src.session_uid = s.uid THEN src.size
       ELSE (SELECT sum(i.bytes) FROM source_items i WHERE i.source_pk = s.source_pk AND i.session_uid = s.uid) END)";

// Columns in the order in which read_session reads them.
const std::string kSessionsColumns = std::string(R"(
  s.session_pk, s.uid, s.platform, s.native_id, coalesce(p.identity_key, ''), coalesce(p.name, ''),
  s.next_seq > 0 OR s.turns > 0, iif()" + std::string(kJudged) +
                                                 R"(, s.outcome, 0),
  s.turns, s.retries,
  min(s.turns, (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk)),
  s.tool_calls, s.tool_errors, s.compactions,
  (SELECT count(*) FROM sessions c WHERE c.parent_uid = s.uid AND c.parent_uid <> ''),
  )") + kSourcePath + ", " + std::string(kTitleColumns) +
                                     ", " + std::string(kSilentSince) + R"(,
  s.stopped_at, s.capture_disabled_at, s.discovered_at, s.ingested_at,
  iif(s.analysis_version > 0 OR s.evicted_at IS NOT NULL, s.analyzed_at, 0), s.evicted_at,)" +
                                     kSourceBytes + R"(,
  (SELECT d.wall_clock_ms FROM session_digests d WHERE d.session_pk = s.session_pk AND s.analysis_version > 0),
  iif()" + std::string(kJudged) + R"(, s.outcome_signs, 0),
)" + std::string(kAttributeColumns) + R"(,
  iif(s.lines_added + s.lines_removed > 0, 0,
      (SELECT sum(f.lines_added) FROM exchange_files f WHERE f.session_pk = s.session_pk)),
  iif(s.lines_added + s.lines_removed > 0, 0,
      (SELECT sum(f.lines_removed) FROM exchange_files f WHERE f.session_pk = s.session_pk)))";
const std::string kFrom =
    " FROM sessions s LEFT JOIN projects p ON p.project_pk = s.project_pk"
    " LEFT JOIN sources src ON src.source_pk = s.source_pk ";

}  // namespace

const std::string& select_sessions() {
  static const std::string sql = "SELECT " + kSessionsColumns + kFrom;
  return sql;
}

SessionRow read_session(sqlite::Database& db, const sqlite::Statement& q) {
  SessionRow r;
  read_attributes(q, 28, r);
  sqlite::read(q, r.pk, r.uid, r.platform, r.native_id, r.project_key, r.project_name, r.life.has_events, r.outcome,
               r.cost.turns, r.cost.retries, r.exchanges, r.tool_calls, r.tool_errors, r.compactions, r.subagents,
               r.source_path);
  r.title = session_title(q.text(16), q.text(17));
  sqlite::read_from(q, 18, r.life.silent_since, r.life.stopped_at, r.life.capture_disabled_at, r.watermarks,
                    r.source_bytes, r.cost.wall_clock);
  if (q.is_null(26)) {
    const auto worked = work_time(db, r.pk);
    r.cost.wall_clock = worked ? *worked : digested_work_time(db, r.pk);
  }
  r.outcome_reasons = outcome_reasons(r.outcome, OutcomeSignSet::of_bits(q.int64(27)));
  if (r.lines_added + r.lines_removed <= 0) sqlite::read_from(q, 48, r.lines_added, r.lines_removed);
  const SessionTokens tokens = session_tokens(db, r.pk);
  r.cost.tokens = tokens.own;
  r.subagent_tokens = tokens.subagents;
  r.account_tokens = tokens.account;
  return r;
}

std::optional<TimeMs> work_time(sqlite::Database& db, std::int64_t session_pk) {
  struct Exchange {
    TimeMs started_at = 0;
    TimeMs ended_at = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
  };
  WorkSpans spans;
  std::vector<Exchange> long_ones;
  auto& q = db.query(
      "SELECT started_at, ended_at, first_seq, last_seq FROM exchanges WHERE session_pk = ?1 AND started_at > 0",
      session_pk);
  while (q.step()) {
    const auto x = sqlite::fields_of<Exchange>(q);
    if (x.ended_at - x.started_at <= kStoppedAfter)
      spans.add(x.started_at, x.ended_at);
    else
      long_ones.push_back(x);
  }
  for (const Exchange& x : long_ones)
    add_work_of_events(db, session_pk, x.first_seq, x.last_seq, spans);
  return spans.total();
}

void read_attributes(const sqlite::Statement& row, int column, SessionAttributes& out) {
  sqlite::read_from(row, column, out.kind, out.parent_uid, out.parent_call_id, out.forked_from, out.agent_name,
                    out.title, out.title_rank, out.description, out.cwd, out.git_branch, out.model, out.agent_version,
                    out.mode, out.repo, out.started_at, out.ended_at, out.context_tokens, out.lines_added,
                    out.lines_removed, out.cost_usd);
}

SessionSource source_of_session(sqlite::Database& db, std::int64_t session_pk) {
  static const std::string sql = "SELECT " + kSourcePath + ", " + kSourceBytes + kFrom + " WHERE s.session_pk = ?1";
  SessionSource out;
  if (const auto row = db.query(sql, session_pk).row()) sqlite::read(*row, out.path, out.bytes);
  return out;
}

SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk) {
  static const std::string sql = select_sessions() + " WHERE s.session_pk = ?1";
  const auto row = db.query(sql, session_pk).row();
  if (!row) throw ErrorException(Error(Errc::not_found, "no session row " + std::to_string(session_pk)));
  return read_session(db, *row);
}

}  // namespace memd::queries
