#include "store/queries/timeline.hpp"

#include "store/queries/row_filter.hpp"
#include "store/queries/sessions.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace memd::queries {
namespace {

using PlatformBySession = std::unordered_map<std::int64_t, Platform>;

struct DaySession {
  TimeMs day = 0;  // its first millisecond
  std::int64_t session_pk = 0;
  std::int64_t exchanges = 0;
  TimeMs start = 0;
  ExchangeId first = 0;
  ExchangeId last = 0;
};

PlatformBySession allowed_sessions(sqlite::Database& db, const QueryFilter& filter) {
  static const std::string sql =
      "SELECT s.session_pk, s.platform FROM sessions s WHERE " + std::string(kSessionConditions);
  const auto c = conditions_of(db, filter);
  auto& q = db.prepare(sql).bind(c.platforms, c.project, c.session_pk, c.include_subagents);
  PlatformBySession out;
  while (q.step())
    out.emplace(q.int64(0), platform_of(q.text(1)));
  q.reset();
  return out;
}

// One pass over exchanges_by_time; rows come in order of time, so slices do too.
std::vector<DaySession> slices_of(sqlite::Database& db, const QueryFilter& filter, const PlatformBySession& allowed) {
  const TimeMs until = filter.until > 0 ? filter.until : std::numeric_limits<TimeMs>::max();
  auto& q = db.prepare(
                  "SELECT started_at, session_pk, exchange_pk FROM exchanges"
                  " WHERE started_at >= ?1 AND started_at < ?2 ORDER BY started_at, session_pk, exchange_pk")
                .bind(std::max<TimeMs>(filter.since, 1), until);
  std::vector<DaySession> out;
  std::unordered_map<std::int64_t, std::size_t> of_day;  // session -> its slice of the current day
  TimeMs day = -1;
  while (q.step()) {
    const TimeMs time = q.int64(0);
    const auto session = q.int64(1);
    if (!allowed.contains(session)) continue;
    if (time - time % kMsPerDay != day) {
      day = time - time % kMsPerDay;
      of_day.clear();
    }
    const auto [it, fresh] = of_day.try_emplace(session, out.size());
    if (fresh) out.push_back({day, session, 0, time, q.int64(2), 0});
    DaySession& slice = out[it->second];
    ++slice.exchanges;
    slice.last = q.int64(2);
  }
  q.reset();
  return out;
}

DaySlice described(sqlite::Database& db, const DaySession& slice) {
  static const std::string sql =
      "SELECT" + std::string(kTitleColumns) +
      ", s.uid, s.platform, coalesce(p.name, ''), (SELECT ended_at FROM exchanges WHERE exchange_pk = ?2)"
      " FROM sessions s LEFT JOIN projects p ON p.project_pk = s.project_pk WHERE s.session_pk = ?1";
  DaySlice out;
  out.session_pk = slice.session_pk;
  out.exchange_count = slice.exchanges;
  out.first_exchange = slice.first;
  auto& q = db.prepare(sql).bind(slice.session_pk, slice.last);
  if (q.step()) {
    out.session_title = session_title(q.text(0), q.text(1));
    out.session_uid = q.str(2);
    out.platform = platform_of(q.text(3));
    out.project = q.str(4);
    out.range = {slice.start, std::max(slice.start, q.int64(5))};
  }
  q.reset();
  return out;
}

}  // namespace

Timeline timeline(sqlite::Database& db, const TimelineQuery& query) {
  const auto allowed = allowed_sessions(db, query.filter);
  const auto slices = slices_of(db, query.filter, allowed);

  Timeline out;
  std::unordered_map<std::int64_t, bool> seen;
  std::unordered_map<Platform, std::int64_t> per_platform;
  for (const DaySession& slice : slices) {
    out.total_exchanges += slice.exchanges;
    per_platform[allowed.at(slice.session_pk)] += slice.exchanges;
    seen.try_emplace(slice.session_pk, true);
  }
  out.total_sessions = static_cast<std::int64_t>(seen.size());
  for (const Platform p : kAllPlatforms)
    if (const auto it = per_platform.find(p); it != per_platform.end()) out.platform_breakdown.emplace_back(*it);

  const auto offset = std::min(static_cast<std::size_t>(std::max(query.offset, 0)), slices.size());
  const auto count = std::min(static_cast<std::size_t>(std::max(query.limit, 0)), slices.size() - offset);
  for (std::size_t i = offset; i < offset + count; ++i)
    out.slices.emplace_back(format_rfc3339(slices[i].day).substr(0, 10), described(db, slices[i]));
  out.more = offset + count < slices.size();
  return out;
}

}  // namespace memd::queries
