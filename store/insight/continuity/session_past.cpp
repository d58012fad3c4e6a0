#include "store/insight/continuity/session_past.hpp"

#include "store/insight/continuity/message_cut.hpp"
#include "store/read/exchanges.hpp"
#include "store/text/exchange_text.hpp"

#include <algorithm>
#include <iterator>

namespace memd::continuity {
namespace {

constexpr std::int64_t kExchangesAtOnce = 10;
constexpr std::size_t kPastBytes = 2 << 20;  // of exchanges

std::size_t bytes_of(const std::vector<ExchangeRow>& rows) {
  std::size_t bytes = 0;
  for (const ExchangeRow& r : rows)
    bytes += r.user_message.size() + r.interventions.size() + r.assistant_response.size() + r.tool_text.size();
  return bytes;
}

// The number of the exchange that was open at the boundary; −1: none.
std::int64_t last_number(sqlite::Database& db, std::int64_t session_pk, std::int64_t boundary) {
  auto& q = db.prepare("SELECT max(exchange_number) FROM exchanges WHERE session_pk = ? AND first_seq < ?");
  q.bind(session_pk, boundary);
  const std::int64_t number = q.step() && !q.is_null(0) ? q.int64(0) : -1;
  q.reset();
  return number;
}

void load_exchanges(sqlite::Database& db, std::int64_t session_pk, SessionPast& past) {
  std::int64_t end = last_number(db, session_pk, past.boundary.seq) + 1;
  const std::int64_t first_wanted = std::max<std::int64_t>(end - kPastExchanges, 0);
  std::size_t bytes = 0;
  while (end > first_wanted && bytes < kPastBytes) {
    const std::int64_t begin = std::max(end - kExchangesAtOnce, first_wanted);
    auto rows = queries::exchange_range(db, session_pk, begin, end - 1);
    bytes += bytes_of(rows);
    rows.insert(rows.end(), std::make_move_iterator(past.exchanges.begin()),
                std::make_move_iterator(past.exchanges.end()));
    past.exchanges = std::move(rows);
    end = begin;
  }
  if (end <= 0) return;
  past.exchanges_left_out = end - 1;
  auto first = queries::exchange_range(db, session_pk, 0, 0);
  past.exchanges.insert(past.exchanges.begin(), std::make_move_iterator(first.begin()),
                        std::make_move_iterator(first.end()));
}

void load_events(sqlite::Database& db, std::int64_t session_pk, SessionPast& past) {
  if (past.exchanges.empty()) return;
  const std::size_t second = past.exchanges_left_out > 0 && past.exchanges.size() > 1 ? 1 : 0;
  auto& q = db.prepare(
      "SELECT e.seq, e.time, e.kind, e.pair_seq, e.tool, e.summary, p.path, e.flags FROM events e"
      " LEFT JOIN paths p USING (path_pk) WHERE e.session_pk = ?1 AND e.seq >= ?2 AND e.seq < ?3 AND e.kind <> 2"
      " ORDER BY e.seq DESC LIMIT ?4");
  q.bind(session_pk, past.exchanges[second].first_seq, past.boundary.seq, kPastEvents);
  while (q.step()) {
    const auto flags = static_cast<std::uint32_t>(q.int64(7));
    if ((flags & (kFlagSidechain | kFlagSuperseded)) != 0) continue;
    PastEvent e;
    e.seq = q.int64(0);
    e.time = q.int64(1);
    e.kind = static_cast<EventKind>(q.int64(2));
    if (!q.is_null(3)) e.pair_seq = q.int64(3);
    e.tool = q.str(4);
    e.summary = q.str(5);
    e.path = q.str(6);
    e.failed = (flags & kFlagError) != 0;
    e.modifies = (flags & kFlagModifies) != 0;
    past.events.push_back(std::move(e));
  }
  q.reset();
  std::size_t age = 0;
  for (PastEvent& e : past.events) {
    e.age = age;
    age += e.kind == EventKind::user_msg || e.kind == EventKind::assistant_msg || e.kind == EventKind::tool_call;
  }
  std::reverse(past.events.begin(), past.events.end());

  std::size_t at = second;
  for (PastEvent& e : past.events) {
    while (at + 1 < past.exchanges.size() && past.exchanges[at + 1].first_seq <= e.seq)
      ++at;
    e.exchange = at;
  }
}

// Directory and branch of the last exchange, as far as they had changed.
void read_place(SessionPast& past) {
  if (past.exchanges.empty()) return;
  past.cwd = past.exchanges.back().working_directory;
  past.branch = past.exchanges.back().git_branch;
  for (const PastEvent& e : past.events) {
    if (e.kind != EventKind::lifecycle || e.seq < past.exchanges.back().first_seq) continue;
    const std::string_view s = e.summary;
    if (s.starts_with(assembly::kCwdChange)) past.cwd = s.substr(assembly::kCwdChange.size());
    const auto arrow = s.rfind(assembly::kBranchArrow);
    if (s.starts_with(assembly::kBranchChange) && arrow != std::string_view::npos)
      past.branch = s.substr(arrow + assembly::kBranchArrow.size());
  }
}

bool is_worked_on(sqlite::Database& db, std::int64_t session_pk, const Boundary& boundary) {
  if (boundary.kind == BoundaryKind::end) return false;
  auto& q = db.prepare("SELECT 1 FROM events WHERE session_pk = ? AND seq > ? AND kind IN (0, 1, 3) LIMIT 1");
  q.bind(session_pk, boundary.seq);
  const bool found = q.step();
  q.reset();
  return found;
}

}  // namespace

const PastEvent* SessionPast::event(std::int64_t seq) const {
  const auto it =
      std::lower_bound(events.begin(), events.end(), seq, [](const PastEvent& e, std::int64_t s) { return e.seq < s; });
  return it != events.end() && it->seq == seq ? &*it : nullptr;
}

std::string_view SessionPast::full_text(std::int64_t seq) const {
  const auto it = full_texts.find(seq);
  return it == full_texts.end() ? std::string_view{} : std::string_view(it->second);
}

SessionPast load_past(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice) {
  SessionPast past;
  past.boundary = choose_boundary(db, session_pk, choice);
  load_exchanges(db, session_pk, past);
  load_events(db, session_pk, past);
  read_place(past);
  past.worked_on = is_worked_on(db, session_pk, past.boundary);
  cut_messages(db, session_pk, past);
  return past;
}

}  // namespace memd::continuity
