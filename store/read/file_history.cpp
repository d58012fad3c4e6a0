#include "store/read/file_history.hpp"

#include "store/read/file_touches.hpp"
#include "store/read/file_use_details.hpp"

#include <algorithm>
#include <unordered_map>

namespace memd {
namespace queries {
namespace {

constexpr std::size_t kPathsListed = 20;

struct Total : PathTotal {
  std::int64_t pk = 0;
  const Touch* counted = nullptr;
  std::vector<const Touch*> touches;  // of each session the newest
};

void add_lines(TouchFilter& filter, std::vector<Total>& totals) {
  std::vector<std::int64_t> paths;
  for (const Total& total : totals)
    paths.push_back(total.pk);
  if (paths.empty()) return;
  auto& q = filter.select("f.path_pk, sum(f.lines_added), sum(f.lines_removed)", paths, filter.timed(),
                          " GROUP BY f.path_pk");
  while (q.step()) {
    const auto it = std::find_if(totals.begin(), totals.end(), [&](const Total& t) { return t.pk == q.int64(0); });
    if (it != totals.end()) it->lines_added = q.int64(1), it->lines_removed = q.int64(2);
  }
  q.reset();
}

// `sessions`: the newest first, as far as kPathsListed paths go.
void add_totals(sqlite::Database& db, TouchFilter& filter, const std::vector<TouchedSession>& sessions,
                FileHistory& out) {
  std::vector<Total> totals;
  std::unordered_map<std::int64_t, std::size_t> of_path;
  for (const TouchedSession& session : sessions) {
    out.total_exchanges += static_cast<std::int64_t>(session.exchanges);
    for (const Touch& t : session.touches) {
      const auto [it, fresh] = of_path.try_emplace(t.path_pk, of_path.size());
      if (it->second >= kPathsListed) continue;
      if (fresh) totals.emplace_back().pk = t.path_pk;
      Total& total = totals[it->second];
      if (total.counted == nullptr || !same_exchange(*total.counted, t)) ++total.exchanges;
      total.counted = &t;
      if (total.touches.empty() || total.touches.back()->session_pk != t.session_pk) total.touches.push_back(&t);
    }
  }
  out.total_sessions = static_cast<std::int64_t>(sessions.size());
  out.total_paths = static_cast<std::int64_t>(of_path.size());
  add_lines(filter, totals);
  for (Total& total : totals) {
    for (const Touch* t : total.touches) {
      Touch touch = *t;
      look_at_exchange(db, touch);
      total.last = std::max(total.last, touch.time);
    }
    total.path = path_of(db, total.pk);
  }
  std::stable_sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) { return a.last > b.last; });
  for (Total& total : totals)
    out.paths.push_back(std::move(total));
}

// `touches`: of one exchange.
std::vector<ExchangeFile> files_of(sqlite::Database& db, std::span<const Touch> touches) {
  auto& q = db.prepare(
      "SELECT touches, lines_added, lines_removed FROM exchange_files"
      " WHERE session_pk = ? AND exchange_number = ? AND path_pk = ? AND access = ?");
  std::vector<ExchangeFile> out;
  for (const Touch& t : touches) {
    q.bind(t.session_pk, t.exchange_number, t.path_pk, static_cast<int>(t.access));
    if (q.step()) out.push_back({t.exchange_number, t.path_pk, {}, t.access, q.int64(0), q.int64(1), q.int64(2)});
    q.reset();
  }
  for (ExchangeFile& file : out)
    file.path = path_of(db, file.path_pk);
  return out;
}

}  // namespace

}  // namespace queries

FileHistory FileHistoryQuery::run(sqlite::Database& db) const {
  using namespace queries;
  TouchFilter touched(db, *this);
  auto all = touched.touches(touched.timed());
  const auto wanted = static_cast<std::size_t>(offset) + static_cast<std::size_t>(limit);
  const auto sessions = newest_first(db, all, wanted, kPathsListed);
  FileHistory out;
  add_totals(db, touched, sessions, out);
  std::size_t at = 0;
  for (const TouchedSession& session : sessions) {
    if (at >= wanted) break;
    for (std::size_t i = 0, end = 0; i < session.touches.size() && at < wanted; i = end) {
      for (end = i; end < session.touches.size() && same_exchange(session.touches[i], session.touches[end]);)
        ++end;
      if (at++ < static_cast<std::size_t>(offset)) continue;
      Touch& touch = session.touches[i];
      look_at_exchange(db, touch);
      FileUse use;
      use.exchange_id = touch.exchange_id;
      use.session_pk = touch.session_pk;
      use.exchange_number = touch.exchange_number;
      use.time = touch.time;
      use.files = files_of(db, session.touches.subspan(i, end - i));
      add_details(db, use);
      out.uses.push_back(std::move(use));
    }
  }
  for (const FileUse& use : out.uses)
    if (std::none_of(out.sessions.begin(), out.sessions.end(),
                     [&](const FileUseSession& s) { return s.pk == use.session_pk; }))
      out.sessions.push_back(session_of_use(db, use.session_pk));
  return out;
}

EditPlaces EditPlacesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  TouchFilter filter(db, touches);
  auto all = filter.touches(true);
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

}  // namespace memd
