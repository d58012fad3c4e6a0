#include "store/read/session_past.hpp"

#include "schemas/base/error.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/tool_facts.hpp"
#include "store/text/event_summary.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace memd::continuity {
namespace {

std::string_view behind_colon(std::string_view summary) {
  const auto at = summary.find(": ");
  return at == std::string_view::npos ? std::string_view{} : summary.substr(at + 2);
}

Boundary end_of(sqlite::Database& db, std::int64_t session_pk) {
  Boundary end;
  end.seq = std::numeric_limits<std::int64_t>::max();
  end.time = db.query("SELECT ended_at FROM sessions WHERE session_pk = ?", session_pk).value_or(end.time);
  return end;
}

constexpr std::int64_t kExchangesAtOnce = 10;
constexpr std::size_t kPastBytes = 2 << 20;  // total bytes of exchanges loaded

std::size_t bytes_of(const std::vector<ExchangeRow>& rows) {
  std::size_t bytes = 0;
  for (const ExchangeRow& r : rows)
    bytes += r.user_message.size() + r.interventions.size() + r.assistant_response.size() + r.tool_text.size();
  return bytes;
}

// Returns the number of the exchange that was open at the boundary; −1: none.
std::int64_t last_number(sqlite::Database& db, std::int64_t session_pk, std::int64_t boundary) {
  return db
      .query("SELECT max(exchange_number) FROM exchanges WHERE session_pk = ? AND first_seq < ?", session_pk, boundary)
      .number()
      .value_or(-1);
}

void load_exchanges(sqlite::Database& db, std::int64_t session_pk, SessionPast& past) {
  std::int64_t end = last_number(db, session_pk, past.boundary.seq) + 1;
  const std::int64_t first_wanted = std::max<std::int64_t>(end - kPastExchanges, 0);
  std::size_t bytes = 0;
  while (end > first_wanted && bytes < kPastBytes) {
    const std::int64_t begin = std::max(end - kExchangesAtOnce, first_wanted);
    auto rows = ExchangeRangeQuery{session_pk, begin, end - 1}.run(db);
    bytes += bytes_of(rows);
    rows.insert(rows.end(), std::make_move_iterator(past.exchanges.begin()),
                std::make_move_iterator(past.exchanges.end()));
    past.exchanges = std::move(rows);
    end = begin;
  }
  if (end <= 0) return;
  past.exchanges_left_out = end - 1;
  auto first = ExchangeRangeQuery{session_pk, 0, 0}.run(db);
  past.exchanges.insert(past.exchanges.begin(), std::make_move_iterator(first.begin()),
                        std::make_move_iterator(first.end()));
}

struct SeqRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Removes the exchanges that the session had left for another one by then: their work is no part of its state. Returns
// their events.
std::vector<SeqRange> leave_out_abandoned(SessionPast& past) {
  std::vector<SeqRange> out;
  std::set<ExchangeId> there;
  for (const ExchangeRow& row : past.exchanges)
    there.insert(row.id);
  const ExchangeId request = past.exchanges_left_out > 0 ? past.exchanges.front().id : 0;
  std::erase_if(past.exchanges, [&](const ExchangeRow& row) {
    if (row.abandoned_for == 0 || row.id == request || !there.contains(row.abandoned_for)) return false;
    out.push_back({row.first_seq, row.last_seq});
    return true;
  });
  return out;
}

void load_events(sqlite::Database& db, std::int64_t session_pk, const std::vector<SeqRange>& left, SessionPast& past) {
  if (past.exchanges.empty()) return;
  const auto is_left = [&](std::int64_t seq) {
    return std::any_of(left.begin(), left.end(), [&](const SeqRange& r) { return r.first <= seq && seq <= r.last; });
  };
  const std::size_t second = past.exchanges_left_out > 0 && past.exchanges.size() > 1 ? 1 : 0;
  auto& q = db.query(sql_text("SELECT e.seq, e.time, e.kind, e.pair_seq, e.tool, e.summary, p.path, e.flags, e.tokens"
                              " FROM events e LEFT JOIN paths p USING (path_pk)"
                              " WHERE e.session_pk = ?1 AND e.seq >= ?2 AND e.seq < ?3"
                              " AND e.kind <> EventKind::thinking ORDER BY e.seq DESC LIMIT ?4"),
                     session_pk, past.exchanges[second].first_seq, past.boundary.seq, kPastEvents);
  while (q.step()) {
    const auto flags = static_cast<std::uint32_t>(q.int64(7));
    if ((flags & (kFlagSidechain | kFlagSuperseded | kFlagPlanned)) != 0 || is_left(q.int64(0))) continue;
    PastEvent e;
    sqlite::read(q, e.seq, e.time, e.kind, e.pair_seq, e.tool, e.summary, e.path);
    e.failed = (flags & kFlagError) != 0;
    e.derived = (flags & kFlagDerived) != 0;
    e.modifies = (flags & kFlagModifies) != 0;
    e.text_bytes = 4 * static_cast<std::size_t>(q.int64(8));
    past.events.push_back(std::move(e));
  }
  std::size_t age = 0;
  for (PastEvent& e : past.events) {
    e.age = age;
    age += e.kind == EventKind::user_msg || e.kind == EventKind::assistant_msg || e.kind == EventKind::tool_call;
  }
  std::reverse(past.events.begin(), past.events.end());

  auto facts = past.events.empty() ? std::map<std::int64_t, ToolFacts>()
                                   : queries::tool_facts(db, session_pk, past.events.front().seq, past.boundary.seq);
  std::size_t at = second;
  for (PastEvent& e : past.events) {
    if (const auto found = facts.find(e.seq); found != facts.end()) e.facts = std::move(found->second);
    while (at + 1 < past.exchanges.size() && past.exchanges[at + 1].first_seq <= e.seq)
      ++at;
    e.exchange = at;
  }
}

// Sets directory and branch to those of the last exchange, with changes up to the boundary applied.
void read_place(SessionPast& past) {
  if (past.exchanges.empty()) return;
  past.cwd = past.exchanges.back().cwd;
  past.branch = past.exchanges.back().git_branch;
  for (const PastEvent& e : past.events) {
    if (e.kind != EventKind::lifecycle || e.seq < past.exchanges.back().first_seq) continue;
    const std::string_view s = e.summary;
    if (s.starts_with(kCwdChange)) past.cwd = s.substr(kCwdChange.size());
    const auto arrow = s.rfind(kBranchArrow);
    if (s.starts_with(kBranchChange) && arrow != std::string_view::npos)
      past.branch = s.substr(arrow + kBranchArrow.size());
  }
}

bool is_worked_on(sqlite::Database& db, std::int64_t session_pk, const Boundary& boundary) {
  if (boundary.kind == BoundaryKind::end) return false;
  return db
      .query(sql_text("SELECT 1 FROM events WHERE session_pk = ? AND seq > ?"
                      " AND kind IN (EventKind::user_msg, EventKind::assistant_msg, EventKind::tool_call) LIMIT 1"),
             session_pk, boundary.seq)
      .any();
}

// Returns the first messages after the boundary from the exchange that was open there.
std::vector<MessageAfterBoundary> messages_after_boundary(sqlite::Database& db, std::int64_t session_pk,
                                                          const SessionPast& past) {
  std::vector<MessageAfterBoundary> out;
  if (past.exchanges.empty() || past.exchanges.back().last_seq < past.boundary.seq) return out;
  constexpr int kEnough = 1;  // the first message after the boundary identifies where the column's text ends
  for (const auto kind : {EventKind::assistant_msg, EventKind::human_intervention, EventKind::user_msg}) {
    auto& q = db.query(sql_text("SELECT seq, summary FROM events WHERE session_pk = ?1 AND seq >= ?2 AND seq <= ?3"
                                " AND kind = ?4 AND flags & kFlagSidechain = 0 ORDER BY seq LIMIT ?5"),
                       session_pk, past.boundary.seq, past.exchanges.back().last_seq, static_cast<int>(kind), kEnough);
    const auto speaker = kind == EventKind::assistant_msg ? Speaker::agent : Speaker::meanwhile;
    while (q.step())
      out.push_back({q.int64(0), speaker, q.str(1)});
  }
  return out;
}

// Returns the boundaries in session order.
std::vector<Boundary> find_boundaries(sqlite::Database& db, std::int64_t session_pk) {
  // The summary follows its marker at once, within this many events. No message of the conversation is in between.
  constexpr std::int64_t kSummaryWithin = 20;
  std::vector<Boundary> out;
  auto& q =
      db.query(sql_text("SELECT seq, time, summary FROM events WHERE session_pk = ? AND kind = EventKind::lifecycle"
                        " AND flags & kFlagSidechain = 0 AND (summary GLOB 'compaction*'"
                        " OR summary GLOB 'microcompaction*' OR summary GLOB 'compact_summary*') ORDER BY seq"),
               session_pk);
  while (q.step()) {
    const std::string_view summary = q.text(2);
    if (summary.starts_with("compact_summary")) {
      if (!out.empty() && !out.back().summary_seq && q.int64(0) - out.back().seq <= kSummaryWithin)
        out.back().summary_seq = q.int64(0);
      continue;
    }
    Boundary b;
    b.kind = summary.starts_with("micro") ? BoundaryKind::microcompaction : BoundaryKind::compaction;
    b.seq = q.int64(0);
    b.time = q.int64(1);
    b.detail = behind_colon(summary);
    b.number = static_cast<std::int64_t>(out.size()) + 1;
    out.push_back(std::move(b));
  }
  for (Boundary& b : out)
    b.count = static_cast<std::int64_t>(out.size());
  return out;
}

// Returns the chosen boundary. A session without boundaries is no error: latest_compaction then means its end.
Boundary choose_boundary(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice) {
  const std::vector<Boundary> all = find_boundaries(db, session_pk);
  Boundary end = end_of(db, session_pk);
  end.count = static_cast<std::int64_t>(all.size());
  switch (choice.at) {
    case BoundaryChoice::At::end: return end;
    case BoundaryChoice::At::number: {
      if (choice.number >= 1 && choice.number <= end.count) return all[static_cast<std::size_t>(choice.number) - 1];
      throw ErrorException(
          Error(Errc::invalid_argument,
                "before: there is no compaction " + std::to_string(choice.number) + " in this session, send " +
                    (all.empty() ? "\"end\": it was never compacted"
                                 : "1 to " + std::to_string(all.size()) + ", \"compaction\" (the last) or \"end\"")));
    }
    case BoundaryChoice::At::latest_compaction: break;
  }
  for (const auto kind : {BoundaryKind::compaction, BoundaryKind::microcompaction}) {
    const auto it = std::find_if(all.rbegin(), all.rend(), [&](const Boundary& b) { return b.kind == kind; });
    if (it != all.rend()) return *it;
  }
  return end;
}

SessionPast load_past(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice) {
  SessionPast past;
  past.boundary = choose_boundary(db, session_pk, choice);
  load_exchanges(db, session_pk, past);
  load_events(db, session_pk, leave_out_abandoned(past), past);
  read_place(past);
  past.worked_on = is_worked_on(db, session_pk, past.boundary);
  cut_messages(past, messages_after_boundary(db, session_pk, past));
  return past;
}

}  // namespace
}  // namespace memd::continuity

namespace memd {

continuity::SessionPast SessionPastQuery::run(sqlite::Database& db) const {
  return continuity::load_past(db, session_pk, choice);
}

}  // namespace memd
