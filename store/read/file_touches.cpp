#include "store/read/file_touches.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace memd::queries {
namespace {

constexpr TimeMs kForever = std::numeric_limits<TimeMs>::max();
constexpr std::size_t kFewSessions = 100;  // up to this many sessions, times are queried one by one

std::vector<TouchedSession> by_session(std::vector<Touch>& touches) {
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    if (a.session_pk != b.session_pk) return a.session_pk > b.session_pk;
    if (a.exchange_number != b.exchange_number) return a.exchange_number > b.exchange_number;
    return a.path_pk != b.path_pk ? a.path_pk < b.path_pk : a.access < b.access;
  });
  std::vector<TouchedSession> out;
  for (std::size_t i = 0, first = 0; i < touches.size(); ++i) {
    if (i == 0 || touches[i].session_pk != touches[i - 1].session_pk) {
      first = i;
      out.emplace_back();
    }
    out.back().touches = std::span(touches).subspan(first, i - first + 1);
    if (i == first || !same_exchange(touches[i - 1], touches[i])) ++out.back().exchanges;
  }
  return out;
}

struct Later {
  bool operator()(const TouchedSession& a, const TouchedSession& b) const {
    const Touch& x = a.touches.front();
    const Touch& y = b.touches.front();
    return x.time != y.time ? x.time > y.time : x.session_pk > y.session_pk;
  }
};
struct Earlier {
  bool operator()(const TouchedSession& a, const TouchedSession& b) const { return Later()(b, a); }
};

// Counts the distinct paths touched, up to `most`.
std::size_t count_paths(const std::vector<Touch>& touches, std::size_t most) {
  std::unordered_set<std::int64_t> seen;
  for (auto it = touches.begin(); it != touches.end() && seen.size() < most; ++it)
    seen.insert(it->path_pk);
  return seen.size();
}

// Collects sessions until enough exchanges and paths are covered.
class Taken {
 public:
  Taken(std::size_t exchanges, std::size_t paths) : exchanges_(exchanges), paths_(paths) {}

  void take(const TouchedSession& session) {
    sessions.push_back(session);
    exchanges_ -= std::min(exchanges_, session.exchanges);
    for (const Touch& t : session.touches)
      if (seen_.size() < paths_) seen_.insert(t.path_pk);
  }
  bool enough() const { return exchanges_ == 0 && seen_.size() >= paths_; }

  std::vector<TouchedSession> sessions;

 private:
  std::size_t exchanges_;
  std::size_t paths_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

bool same_exchange(const Touch& a, const Touch& b) {
  return a.session_pk == b.session_pk && a.exchange_number == b.exchange_number;
}

void load_exchange(sqlite::Database& db, Touch& touch) {
  if (touch.exchange_id != 0) return;
  if (const auto row =
          db.query("SELECT exchange_pk, started_at FROM exchanges WHERE session_pk = ? AND exchange_number = ?",
                   touch.session_pk, touch.exchange_number)
              .row())
    touch.exchange_id = row->int64(0), touch.time = row->int64(1);
}

TouchFilter::TouchFilter(sqlite::Database& db, const FileHistoryQuery& query)
    : db_(db), query_(query), conditions_(conditions_of(db, query.filter)) {}

bool TouchFilter::timed() const {
  return query_.filter.since > 0 || query_.filter.until > 0 || !query_.exchanges.empty();
}

sqlite::Statement& TouchFilter::select(std::string_view columns, const std::vector<std::int64_t>& paths, bool times,
                                       std::string_view behind) {
  const auto& c = conditions_;
  const bool of_some = !c.platforms.empty() || !c.project.empty() || c.session_pk != 0 || !c.include_subagents;
  std::string sql = "SELECT " + std::string(columns) + " FROM ";
  sql += paths.empty() ? "exchange_files f" : "json_each(?8) j CROSS JOIN exchange_files f ON f.path_pk = j.value";
  if (times) sql += " CROSS JOIN exchanges x ON x.session_pk = f.session_pk AND x.exchange_number = f.exchange_number";
  if (of_some) sql += " CROSS JOIN sessions s ON s.session_pk = f.session_pk";
  sql += " WHERE (?5 < 0 OR f.access = ?5) AND f.exchange_number BETWEEN ?6 AND ?7";
  sql += paths.empty() ? " AND f.session_pk = ?9" : " AND (?9 = 0 OR f.session_pk = ?9)";
  if (of_some) sql.append(" AND ").append(kSessionConditions);
  if (times) sql += " AND x.started_at >= ?10 AND x.started_at < ?11";
  if (!query_.exchanges.empty()) sql += " AND x.exchange_pk IN (SELECT value FROM json_each(?12))";
  paths_ = number_list(paths);
  exchanges_ = number_list(query_.exchanges);
  auto& q = db_.prepare(sql.append(behind));
  const bool spans = query_.session_pk != 0;
  q.bind(c.platforms, c.project, c.session_pk, c.include_subagents,
         query_.access ? static_cast<int>(*query_.access) : -1, spans ? query_.first_exchange : 0,
         spans ? query_.last_exchange : std::numeric_limits<std::int64_t>::max(), paths_, query_.session_pk);
  if (times) {
    q.bind_at(10, query_.filter.since);
    q.bind_at(11, query_.filter.until > 0 ? query_.filter.until : kForever);
  }
  if (!query_.exchanges.empty()) q.bind_at(12, exchanges_);
  return q;
}

std::vector<Touch> TouchFilter::touches(bool with_times) {
  auto& q = select(with_times ? "f.session_pk, f.exchange_number, f.path_pk, f.access, x.exchange_pk, x.started_at"
                              : "f.session_pk, f.exchange_number, f.path_pk, f.access",
                   query_.paths, with_times);
  std::vector<Touch> out;
  while (q.step()) {
    Touch t{q.int64(0), q.int64(1), q.int64(2), static_cast<FileAccess>(q.int64(3))};
    if (with_times) t.exchange_id = q.int64(4), t.time = q.int64(5);
    out.push_back(t);
  }
  return out;
}

std::vector<TouchedSession> newest_first(sqlite::Database& db, std::vector<Touch>& touches, std::size_t exchanges,
                                         std::size_t paths) {
  auto sessions = by_session(touches);
  if (sessions.size() <= kFewSessions) {
    for (const TouchedSession& s : sessions)
      load_exchange(db, s.touches.front());
    std::sort(sessions.begin(), sessions.end(), Later());
    return sessions;
  }
  // No exchange begins after its session ended. An exchange that begins later than the end of the next session is
  // therefore later than all exchanges still to come.
  std::unordered_map<std::int64_t, const TouchedSession*> waiting;
  for (const TouchedSession& s : sessions)
    waiting.emplace(s.touches.front().session_pk, &s);
  std::priority_queue<TouchedSession, std::vector<TouchedSession>, Earlier> looked_at;
  Taken taken(exchanges, count_paths(touches, paths));
  const auto take_later_than = [&](TimeMs end) {
    for (; !looked_at.empty() && !taken.enough() && looked_at.top().touches.front().time > end; looked_at.pop())
      taken.take(looked_at.top());
  };
  auto& q = db.query("SELECT session_pk, ended_at FROM sessions ORDER BY ended_at DESC");
  while (!taken.enough() && !waiting.empty() && q.step()) {
    const auto it = waiting.find(q.int64(0));
    if (it == waiting.end()) continue;
    take_later_than(q.int64(1));
    load_exchange(db, it->second->touches.front());
    looked_at.push(*it->second);
    waiting.erase(it);
  }
  q.reset();
  if (waiting.empty()) take_later_than(std::numeric_limits<TimeMs>::min());
  for (; !looked_at.empty(); looked_at.pop())
    taken.sessions.push_back(looked_at.top());
  for (const TouchedSession& s : sessions)
    if (waiting.contains(s.touches.front().session_pk)) taken.sessions.push_back(s);
  return std::move(taken.sessions);
}

}  // namespace memd::queries
