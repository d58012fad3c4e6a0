#include "store/queries/timeline.hpp"

#include "store/queries/row_filter.hpp"
#include "store/queries/sessions.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace memd::queries {
namespace {

struct DaySession {
  TimeMs day = 0;  // its first millisecond
  std::int64_t session_pk = 0;
  std::int64_t exchanges = 0;
  TimeMs start = 0;
  ExchangeId first = 0;
  ExchangeId last = 0;
};

// One pass over exchanges_by_time; rows come in order of time, so slices do too.
std::vector<DaySession> slices_of(sqlite::Database& db, const QueryFilter& filter) {
  const TimeMs until = filter.until > 0 ? filter.until : std::numeric_limits<TimeMs>::max();
  auto& q = db.prepare(
                  "SELECT started_at, session_pk, exchange_pk FROM exchanges"
                  " WHERE started_at >= ?1 AND started_at < ?2 ORDER BY started_at, session_pk, exchange_pk")
                .bind(std::max<TimeMs>(filter.since, 1), until);
  std::vector<DaySession> out;
  std::vector<std::size_t> newest;  // by session: its newest slice, plus one
  while (q.step()) {
    const TimeMs time = q.int64(0);
    const auto session = static_cast<std::size_t>(q.int64(1));
    const ExchangeId exchange = q.int64(2);
    if (session >= newest.size()) newest.resize(session + 1 + session / 2);
    std::size_t& slice = newest[session];
    if (slice == 0 || time - out[slice - 1].day >= kMsPerDay) {
      out.push_back({time - time % kMsPerDay, static_cast<std::int64_t>(session), 0, time, exchange, 0});
      slice = out.size();
    }
    ++out[slice - 1].exchanges;
    out[slice - 1].last = exchange;
  }
  q.reset();
  return out;
}

using PlatformBySession = std::unordered_map<std::int64_t, Platform>;

// Sessions of the slices that the filter lets through.
PlatformBySession allowed_sessions(sqlite::Database& db, const QueryFilter& filter,
                                   const std::vector<DaySession>& slices) {
  static const std::string all =
      "SELECT s.session_pk, s.platform FROM sessions s WHERE " + std::string(kSessionConditions);
  static const std::string one = all + " AND s.session_pk = ?5";
  constexpr std::size_t kFew = 300;  // slices; for more, one pass over all sessions is faster
  const auto c = conditions_of(db, filter);
  PlatformBySession out;
  const auto read = [&](sqlite::Statement& q) {
    while (q.step())
      out.emplace(q.int64(0), platform_of(q.text(1)));
    q.reset();
  };
  if (slices.size() > kFew) {
    read(db.prepare(all).bind(c.platforms, c.project, c.session_pk, c.include_subagents));
    return out;
  }
  auto& q = db.prepare(one);
  for (const DaySession& slice : slices) {
    if (out.contains(slice.session_pk)) continue;
    read(q.bind(c.platforms, c.project, c.session_pk, c.include_subagents, slice.session_pk));
  }
  return out;
}

// Columns 0 to 2: when the exchange ended, and the beginnings of its prompt and its final answer.
constexpr std::string_view kSliceTexts =
    "SELECT ended_at, substr(CAST(user_message AS BLOB), 1, ?2),"
    " substr(CAST(assistant_response AS BLOB), answer_offset + 1, ?2) FROM exchanges WHERE exchange_pk = ?1";

// Without the character that the limit may have cut.
std::string whole_characters(std::string_view text) {
  if (text.size() == kSliceTextBytes) {
    std::size_t end = text.size() - 1;
    while (end > text.size() - 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
      --end;
    if ((static_cast<unsigned char>(text[end]) & 0x80U) != 0) text = text.substr(0, end);
  }
  return std::string(text);
}

void add_texts(sqlite::Database& db, DaySlice& out) {
  auto& q = db.prepare(kSliceTexts);
  q.bind(out.first_exchange, static_cast<std::int64_t>(kSliceTextBytes));
  if (q.step()) out.first_request = whole_characters(q.blob(1));
  q.reset();
  q.bind(out.last_exchange, static_cast<std::int64_t>(kSliceTextBytes));
  if (q.step()) {
    out.range.end = std::max(out.range.start, q.int64(0));
    out.last_request = whole_characters(q.blob(1));
    out.last_answer = whole_characters(q.blob(2));
  }
  q.reset();
}

DaySlice described(sqlite::Database& db, const DaySession& slice) {
  static const std::string sql = "SELECT" + std::string(kTitleColumns) +
                                 ", s.uid, s.platform, coalesce(p.name, '') FROM sessions s LEFT JOIN projects p ON "
                                 "p.project_pk = s.project_pk WHERE s.session_pk = ?1";
  DaySlice out;
  out.session_pk = slice.session_pk;
  out.exchange_count = slice.exchanges;
  out.first_exchange = slice.first;
  out.last_exchange = slice.last;
  out.range.start = slice.start;
  auto& q = db.prepare(sql).bind(slice.session_pk);
  if (q.step()) {
    out.session_title = session_title(q.text(0), q.text(1));
    out.session_uid = q.str(2);
    out.platform = platform_of(q.text(3));
    out.project = q.str(4);
  }
  q.reset();
  add_texts(db, out);
  return out;
}

}  // namespace

Timeline timeline(sqlite::Database& db, const TimelineQuery& query) {
  auto slices = slices_of(db, query.filter);
  const auto allowed = allowed_sessions(db, query.filter, slices);
  std::erase_if(slices, [&](const DaySession& slice) { return !allowed.contains(slice.session_pk); });

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
