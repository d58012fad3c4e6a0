#include "store/read/day_slices.hpp"

#include "schemas/local_time.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace memd::queries {
namespace {

static_assert(std::is_trivially_copyable_v<DaySession>, "goes through SQLite as a blob");

// Takes exchanges in the order of their start.
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
  TimeMs day_ = 0;  // that of the last exchange
  TimeMs day_end_ = 0;
  std::vector<DaySession> slices_;
  std::vector<std::size_t> newest_;  // by session: its newest slice, plus one
};

// SQLite keeps the pointer between the calls, zero at first, and ends what it began.
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
    sqlite3_result_error(context, "an exchange of a session that cannot be", -1);
  }
}

void finish(sqlite3_context* context) noexcept {
  Counting** counting = counting_of(context, 0);
  if (counting == nullptr || *counting == nullptr) return;
  const std::unique_ptr<Counting> done(*counting);
  const auto& slices = done->slices();
  sqlite3_result_blob64(context, slices.data(), slices.size() * sizeof(DaySession), SQLITE_TRANSIENT);
}

}  // namespace

DaySessions::DaySessions(sqlite::Database& db) {
  const int rc = sqlite3_create_function_v2(db.handle(), "day_sessions", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr,
                                            nullptr, step, finish, nullptr);
  if (rc != SQLITE_OK) throw ErrorException(sqlite::make_error(db.handle(), rc, "day_sessions"));
}

const std::vector<DaySession>& DaySessions::between(sqlite::Database& db, TimeMs since, TimeMs until) {
  auto& of_store = db.prepare("PRAGMA data_version");
  const std::int64_t version = of_store.step() ? of_store.int64(0) : -1;
  of_store.reset();
  if (version >= 0 && version == version_ && since == since_ && until == until_) return known_;
  version_ = -1;

  // The index gives the rows in its order: a subquery that says ORDER BY would cost as much again.
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
  if (q.step()) {
    const std::string_view blob = q.blob(0);
    known_.resize(blob.size() / sizeof(DaySession));
    if (!known_.empty()) std::memcpy(known_.data(), blob.data(), blob.size());
  }
  q.reset();
  version_ = version;
  since_ = since;
  until_ = until;
  return known_;
}

}  // namespace memd::queries
