#include "store/queries/file_history.hpp"

#include "store/queries/file_use_details.hpp"
#include "store/queries/row_filter.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

namespace memd::queries {
namespace {

constexpr std::size_t kPathsListed = 20;
constexpr TimeMs kForever = std::numeric_limits<TimeMs>::max();

struct Touch {
  std::int64_t session_pk = 0;
  std::int64_t exchange_number = 0;
  std::int64_t path_pk = 0;
  FileAccess access{};
  std::int64_t touches = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  ExchangeId exchange_id = 0;
  TimeMs time = 0;
};

std::string json_list(const std::vector<std::int64_t>& values) {
  std::string out = "[";
  for (const auto v : values)
    out.append(out.size() > 1 ? "," : "").append(std::to_string(v));
  return out + "]";
}

enum class With { times, nothing };

// Sessions and exchanges are rows wide enough to be worth not looking at: of thousands of touches the times of few are
// needed.
std::string touches_sql(bool by_path, bool of_some_sessions, With with) {
  const bool times = with == With::times;
  std::string sql =
      "SELECT f.session_pk, f.exchange_number, f.path_pk, f.access, f.touches, f.lines_added, f.lines_removed, ";
  sql += times ? "x.exchange_pk, x.started_at FROM " : "0, 0 FROM ";
  sql += by_path ? "json_each(?8) j CROSS JOIN exchange_files f ON f.path_pk = j.value" : "exchange_files f";
  if (times) sql += " CROSS JOIN exchanges x ON x.session_pk = f.session_pk AND x.exchange_number = f.exchange_number";
  if (of_some_sessions) sql += " CROSS JOIN sessions s ON s.session_pk = f.session_pk";
  sql += " WHERE (?5 < 0 OR f.access = ?5) AND f.exchange_number BETWEEN ?6 AND ?7";
  sql += by_path ? " AND (?9 = 0 OR f.session_pk = ?9)" : " AND f.session_pk = ?9";
  if (of_some_sessions) sql.append(" AND ").append(kSessionConditions);
  if (times) sql += " AND x.started_at >= ?10 AND x.started_at < ?11";
  return sql;
}

std::vector<Touch> touches(sqlite::Database& db, const FileHistoryQuery& query, With with) {
  const auto c = conditions_of(db, query.filter);
  const bool spans = query.session_pk != 0;
  const std::string paths = json_list(query.paths);
  const bool of_some = !c.platforms.empty() || !c.project.empty() || c.session_pk != 0 || !c.include_subagents;
  auto& q = db.prepare(touches_sql(!query.paths.empty(), of_some, with));
  q.bind(c.platforms, c.project, c.session_pk, c.include_subagents, query.access ? static_cast<int>(*query.access) : -1,
         spans ? query.first_exchange : 0, spans ? query.last_exchange : std::numeric_limits<std::int64_t>::max(),
         paths, query.session_pk);
  if (with == With::times) {
    q.bind_at(10, query.filter.since);
    q.bind_at(11, query.filter.until > 0 ? query.filter.until : kForever);
  }
  std::vector<Touch> out;
  while (q.step())
    out.push_back({q.int64(0), q.int64(1), q.int64(2), static_cast<FileAccess>(q.int64(3)), q.int64(4), q.int64(5),
                   q.int64(6), q.int64(7), q.int64(8)});
  q.reset();
  return out;
}

void look_at_exchange(sqlite::Database& db, Touch& touch) {
  if (touch.exchange_id != 0) return;
  auto& q = db.prepare("SELECT exchange_pk, started_at FROM exchanges WHERE session_pk = ? AND exchange_number = ?")
                .bind(touch.session_pk, touch.exchange_number);
  if (q.step()) touch.exchange_id = q.int64(0), touch.time = q.int64(1);
  q.reset();
}

// The time of the last exchange of each session that touched what is counted.
std::unordered_map<std::int64_t, TimeMs> last_times(sqlite::Database& db, std::vector<Touch>& touches) {
  std::unordered_map<std::int64_t, Touch*> newest;
  for (auto& t : touches) {
    auto& one = newest[t.session_pk];
    if (one == nullptr || t.exchange_number > one->exchange_number) one = &t;
  }
  std::unordered_map<std::int64_t, TimeMs> out;
  for (auto& [session, touch] : newest) {
    look_at_exchange(db, *touch);
    out[session] = touch->time;
  }
  return out;
}

// Sessions by their newest touch, the newest exchange of each first, and the files of an exchange together.
void sort_newest_first(sqlite::Database& db, std::vector<Touch>& touches) {
  const auto newest = last_times(db, touches);
  std::sort(touches.begin(), touches.end(), [&](const Touch& a, const Touch& b) {
    if (a.session_pk != b.session_pk) {
      const TimeMs at = newest.at(a.session_pk);
      const TimeMs bt = newest.at(b.session_pk);
      return at != bt ? at > bt : a.session_pk > b.session_pk;
    }
    if (a.exchange_number != b.exchange_number) return a.exchange_number > b.exchange_number;
    if (a.path_pk != b.path_pk) return a.path_pk < b.path_pk;
    return a.access < b.access;
  });
}

bool same_exchange(const Touch& a, const Touch& b) {
  return a.session_pk == b.session_pk && a.exchange_number == b.exchange_number;
}

// `touches`: newest first.
void add_totals(sqlite::Database& db, const std::vector<Touch>& touches, FileHistory& out) {
  struct Total : PathTotal {
    std::int64_t pk = 0;
    const Touch* counted = nullptr;
    std::vector<Touch> touches;  // of each session the newest
  };
  std::vector<Total> totals;
  std::unordered_map<std::int64_t, std::size_t> of_path;
  std::set<std::int64_t> sessions;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const Touch& t = touches[i];
    if (i == 0 || !same_exchange(touches[i - 1], t)) ++out.total_exchanges;
    sessions.insert(t.session_pk);
    const auto [it, fresh] = of_path.try_emplace(t.path_pk, totals.size());
    if (fresh) totals.emplace_back().pk = t.path_pk;
    Total& total = totals[it->second];
    if (total.counted == nullptr || !same_exchange(*total.counted, t)) ++total.exchanges;
    total.counted = &t;
    total.lines_added += t.lines_added;
    total.lines_removed += t.lines_removed;
    if (total.touches.empty() || total.touches.back().session_pk != t.session_pk) total.touches.push_back(t);
  }
  out.total_sessions = static_cast<std::int64_t>(sessions.size());
  out.total_paths = static_cast<std::int64_t>(totals.size());
  if (totals.size() > kPathsListed) totals.resize(kPathsListed);
  for (Total& total : totals) {
    for (Touch& t : total.touches) {
      look_at_exchange(db, t);
      total.last = std::max(total.last, t.time);
    }
    total.path = path_of(db, total.pk);
  }
  std::stable_sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) { return a.last > b.last; });
  for (Total& total : totals)
    out.paths.push_back(std::move(total));
}

}  // namespace

FileHistory file_history(sqlite::Database& db, const FileHistoryQuery& query) {
  const bool timed = query.filter.since > 0 || query.filter.until > 0 || !query.exchanges.empty();
  auto all = touches(db, query, timed ? With::times : With::nothing);
  if (!query.exchanges.empty())
    std::erase_if(all, [&](const Touch& t) {
      return std::find(query.exchanges.begin(), query.exchanges.end(), t.exchange_id) == query.exchanges.end();
    });
  sort_newest_first(db, all);
  FileHistory out;
  add_totals(db, all, out);
  int skipped = 0;
  for (std::size_t i = 0; i < all.size() && static_cast<int>(out.uses.size()) < query.limit;) {
    std::size_t end = i;
    while (end < all.size() && same_exchange(all[i], all[end]))
      ++end;
    if (skipped++ >= query.offset) {
      look_at_exchange(db, all[i]);
      FileUse use;
      use.exchange_id = all[i].exchange_id;
      use.session_pk = all[i].session_pk;
      use.exchange_number = all[i].exchange_number;
      use.time = all[i].time;
      for (std::size_t k = i; k < end; ++k)
        use.files.push_back({all[k].path_pk, path_of(db, all[k].path_pk), all[k].access, all[k].touches,
                             all[k].lines_added, all[k].lines_removed});
      add_details(db, use);
      out.uses.push_back(std::move(use));
    }
    i = end;
  }
  for (const FileUse& use : out.uses)
    if (std::none_of(out.sessions.begin(), out.sessions.end(),
                     [&](const FileUseSession& s) { return s.pk == use.session_pk; }))
      out.sessions.push_back(session_of_use(db, use.session_pk));
  return out;
}

EditPlaces edit_places(sqlite::Database& db, const FileHistoryQuery& query, int limit) {
  auto all = touches(db, query, With::times);
  std::sort(all.begin(), all.end(), [](const Touch& a, const Touch& b) {
    return a.time != b.time ? a.time > b.time : a.exchange_id > b.exchange_id;
  });
  EditPlaces out;
  for (const Touch& t : all) {
    if (static_cast<int>(out.edits.size()) >= limit) {
      out.more = true;
      break;
    }
    auto edits = edits_of(db, t.exchange_id, t.path_pk);
    out.edits.insert(out.edits.end(), edits.begin(), edits.end());
  }
  std::stable_sort(out.edits.begin(), out.edits.end(),
                   [](const EditPlace& a, const EditPlace& b) { return a.time < b.time; });
  return out;
}

}  // namespace memd::queries
