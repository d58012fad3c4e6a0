#include "store/read/timeline.hpp"

#include "schemas/base/time.hpp"
#include "store/db/database.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_titles.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace memd {
namespace queries {
namespace {

// The activity of one session on one day of the time zone.
struct DaySession {
  TimeMs day = 0;  // first millisecond of the day
  std::int64_t session_pk = 0;
  std::int64_t exchanges = 0;
  TimeMs start = 0;  // start of its first exchange
  TimeMs last = 0;   // start of its last exchange
};

static_assert(std::is_trivially_copyable_v<DaySession>, "goes through SQLite as a blob");

// Counts exchanges by day and session. They must be added in the order of their start.
class Counting {
 public:
  void add(TimeMs time, std::size_t session) {
    if (session >= newest_.size()) newest_.resize(session + 1 + session / 2);
    if (time >= day_end_) {
      const std::int64_t day = local_day(time);
      day_ = day_start(day);
      day_end_ = day_start(day + 1);
    }
    std::size_t& slice = newest_[session];
    if (slice == 0 || slices_[slice - 1].day != day_) {
      slices_.push_back({day_, static_cast<std::int64_t>(session), 0, time, time});
      slice = slices_.size();
    }
    ++slices_[slice - 1].exchanges;
    slices_[slice - 1].last = time;
  }

  const std::vector<DaySession>& slices() const { return slices_; }

 private:
  TimeMs day_ = 0;  // the day of the last added exchange
  TimeMs day_end_ = 0;
  std::vector<DaySession> slices_;
  std::vector<std::size_t> newest_;  // indexed by session: its newest slice plus one; 0: none
};

// Returns the aggregate's context. SQLite keeps the pointer between calls, zero-initialised, and always calls finish()
// after step().
Counting** counting_of(sqlite3_context* context, int bytes) {
  return static_cast<Counting**>(sqlite3_aggregate_context(context, bytes));
}

void step(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  Counting** counting = counting_of(context, sizeof(Counting*));
  if (counting == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*counting == nullptr) *counting = new Counting;
    (*counting)->add(sqlite3_value_int64(values[0]), static_cast<std::size_t>(sqlite3_value_int64(values[1])));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::length_error&) {  // a damaged store may hold any number
    sqlite3_result_error(context, "a turn of a session that cannot be", -1);
  }
}

void finish(sqlite3_context* context) noexcept {
  Counting** counting = counting_of(context, 0);
  if (counting == nullptr || *counting == nullptr) return;
  const std::unique_ptr<Counting> done(*counting);
  const auto& slices = done->slices();
  sqlite3_result_blob64(context, slices.data(), slices.size() * sizeof(DaySession), SQLITE_TRANSIENT);
}

// Counts the exchanges of days and sessions inside SQLite, because returning a row for each exchange costs more than
// processing it. Kept by a connection (Database::kept), used on its thread.
class DaySessions {
 public:
  // Registers an SQL function with the connection. Throws ErrorException.
  explicit DaySessions(sqlite::Database& db);
  DaySessions(const DaySessions&) = delete;
  DaySessions& operator=(const DaySessions&) = delete;

  // Counts exchanges with since <= start < until, in the order of their first; `until` 0: no end. Skips exchanges whose
  // start is unknown. The last answer is cached for subsequent pages until the store is written to; it is valid until
  // the next call. Call inside a transaction of the same connection. Throws ErrorException.
  const std::vector<DaySession>& between(sqlite::Database& db, TimeMs since, TimeMs until);

 private:
  std::int64_t version_ = -1;  // the store's data version on this connection at which `known_` was counted
  TimeMs since_ = 0;
  TimeMs until_ = 0;
  std::vector<DaySession> known_;
};

DaySessions::DaySessions(sqlite::Database& db) {
  const int rc = sqlite3_create_function_v2(db.handle(), "day_sessions", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr,
                                            nullptr, step, finish, nullptr);
  if (rc != SQLITE_OK) throw ErrorException(sqlite::make_error(db.handle(), rc, "day_sessions"));
}

const std::vector<DaySession>& DaySessions::between(sqlite::Database& db, TimeMs since, TimeMs until) {
  const std::int64_t version = db.prepare("PRAGMA data_version").value_or(-1);
  if (version >= 0 && version == version_ && since == since_ && until == until_) return known_;
  version_ = -1;

  // The index yields the rows in order. A subquery with ORDER BY would double the cost.
  constexpr std::string_view kSince =
      "SELECT day_sessions(started_at, session_pk) FROM exchanges INDEXED BY exchanges_by_time WHERE started_at >= ?1";
  static const std::string kBetween = std::string(kSince) + " AND started_at < ?2";
  auto& q = db.prepare(until > 0 ? std::string_view(kBetween) : kSince);
  const TimeMs first = std::max<TimeMs>(since, 1);
  if (until > 0)
    q.bind(first, until);
  else
    q.bind(first);
  known_.clear();
  if (const auto row = q.row()) {
    const std::string_view blob = row->blob(0);
    known_.resize(blob.size() / sizeof(DaySession));
    if (!known_.empty()) std::memcpy(known_.data(), blob.data(), blob.size());
  }
  version_ = version;
  since_ = since;
  until_ = until;
  return known_;
}

// The platforms of some sessions.
class PlatformBySession {
 public:
  void add(std::int64_t session_pk, Platform platform) {
    const auto at = static_cast<std::size_t>(session_pk);
    if (at >= platforms_.size()) platforms_.resize(at + 1 + at / 2);
    platforms_[at] = platform;
  }
  std::optional<Platform> of(std::int64_t session_pk) const {
    const auto at = static_cast<std::size_t>(session_pk);
    return at < platforms_.size() ? platforms_[at] : std::nullopt;
  }

 private:
  std::vector<std::optional<Platform>> platforms_;
};

// Returns the sessions of the slices that match the filter.
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
      out.add(q.int64(0), platform_of(q.text(1)));
  };
  if (slices.size() > kFew) {
    read(db.query(all, c.platforms, c.project, c.session_pk, c.include_subagents));
    return out;
  }
  auto& q = db.prepare(one);
  for (const DaySession& slice : slices)
    if (!out.of(slice.session_pk))
      read(q.bind(c.platforms, c.project, c.session_pk, c.include_subagents, slice.session_pk));
  return out;
}

// Columns: end of the exchange, the beginnings of its prompt and its final answer, data_completeness.
constexpr std::string_view kSliceTexts =
    "SELECT ended_at, substr(CAST(user_message AS BLOB), 1, ?2),"
    " substr(CAST(assistant_response AS BLOB), answer_offset + 1, ?2), data_completeness FROM exchanges WHERE "
    "exchange_pk = ?1";

// Drops a trailing character that the byte limit may have cut.
std::string whole_characters(std::string_view text) {
  if (text.size() == kSliceTextBytes) {
    std::size_t end = text.size() - 1;
    while (end > text.size() - 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
      --end;
    if ((static_cast<unsigned char>(text[end]) & 0x80U) != 0) text = text.substr(0, end);
  }
  return std::string(text);
}

ExchangeId exchange_at(sqlite::Database& db, std::string_view sql, std::int64_t session_pk, TimeMs time) {
  return db.query(sql, time, session_pk).value_or(0);
}

void add_texts(sqlite::Database& db, const DaySession& slice, DaySlice& out) {
  constexpr std::string_view kFirst =
      "SELECT min(exchange_pk) FROM exchanges WHERE started_at = ?1 AND session_pk = ?2";
  constexpr std::string_view kLast = "SELECT max(exchange_pk) FROM exchanges WHERE started_at = ?1 AND session_pk = ?2";
  out.first_exchange = exchange_at(db, kFirst, slice.session_pk, slice.start);
  out.last_exchange = exchange_at(db, kLast, slice.session_pk, slice.last);
  auto& q = db.prepare(kSliceTexts);
  if (const auto row = q.bind(out.first_exchange, static_cast<std::int64_t>(kSliceTextBytes)).row())
    out.first_request = whole_characters(row->blob(1));
  if (const auto row = q.bind(out.last_exchange, static_cast<std::int64_t>(kSliceTextBytes)).row()) {
    out.range.end = std::max(out.range.start, row->int64(0));
    out.last_request = whole_characters(row->blob(1));
    out.last_answer = whole_characters(row->blob(2));
    out.is_evicted = static_cast<DataCompleteness>(row->int64(3)) == DataCompleteness::metadata_only;
  }
}

DaySlice described(sqlite::Database& db, const DaySession& slice) {
  static const std::string sql = "SELECT" + std::string(kTitleColumns) + std::string(kSessionHeadColumns) +
                                 " FROM sessions s" + std::string(kProjectOfSession) + "WHERE s.session_pk = ?1";
  DaySlice out;
  out.session_pk = slice.session_pk;
  out.exchange_count = slice.exchanges;
  out.range.start = slice.start;
  if (const auto row = db.query(sql, slice.session_pk).row()) read_head(*row, out);
  add_texts(db, slice, out);
  return out;
}

}  // namespace

}  // namespace queries

NearestActivityQuery::Found NearestActivityQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string kFromExchanges =
      "SELECT e.started_at FROM exchanges e CROSS JOIN sessions s ON s.session_pk = e.session_pk WHERE " +
      std::string(kSessionConditions);
  static const std::string kBefore =
      kFromExchanges + " AND e.started_at < ?5 AND e.started_at > 0 ORDER BY e.started_at DESC LIMIT 1";
  static const std::string kAfter = kFromExchanges + " AND e.started_at >= ?5 ORDER BY e.started_at LIMIT 1";
  const auto c = conditions_of(db, filter);
  const auto nearest = [&](const std::string& sql, TimeMs time) {
    return db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, time).value_or(0);
  };
  Found out;
  if (filter.since > 0) out.before = nearest(kBefore, filter.since);
  if (filter.until > 0) out.after = nearest(kAfter, filter.until);
  return out;
}

Timeline TimelineQuery::run(sqlite::Database& db) const {
  using namespace queries;
  const auto& all = db.kept<DaySessions>().between(db, filter.since, filter.until);
  const auto allowed = allowed_sessions(db, filter, all);

  Timeline out;
  std::vector<const DaySession*> slices;
  std::vector<std::int64_t> sessions;
  std::map<Platform, std::int64_t> per_platform;
  for (const DaySession& slice : all) {
    const auto platform = allowed.of(slice.session_pk);
    if (!platform) continue;
    slices.push_back(&slice);
    out.total_exchanges += slice.exchanges;
    per_platform[*platform] += slice.exchanges;
    sessions.push_back(slice.session_pk);
  }
  std::sort(sessions.begin(), sessions.end());
  out.total_sessions = std::unique(sessions.begin(), sessions.end()) - sessions.begin();
  for (const auto& [platform, n] : per_platform)
    if (n > 0) out.platform_breakdown.emplace_back(platform, n);

  const auto first = std::min(static_cast<std::size_t>(std::max(offset, 0)), slices.size());
  const auto count = std::min(static_cast<std::size_t>(std::max(limit, 0)), slices.size() - first);
  for (std::size_t i = first; i < first + count; ++i)
    out.slices.emplace_back(format_local_minute(slices[i]->day).substr(0, 10), described(db, *slices[i]));
  out.more = first + count < slices.size();
  return out;
}

}  // namespace memd
