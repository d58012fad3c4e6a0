#include "store/search/words/candidate_filter.hpp"

#include "schemas/base/ascii.hpp"
#include "store/read/observations.hpp"
#include "store/read/row_filter.hpp"

#include <algorithm>
#include <iterator>

namespace memd::search {

namespace {

// Without INDEXED BY, SQLite reads the row instead of the covering index.
constexpr std::string_view kPlaceSql =
    "SELECT session_pk, exchange_number, started_at, content_hash,"
    " EXISTS (SELECT 1 FROM abandoned_exchanges a WHERE a.session_pk = exchanges.session_pk"
    " AND a.exchange_number = exchanges.exchange_number) FROM exchanges"
    " INDEXED BY exchanges_by_pk WHERE exchange_pk = ?1";
// Takes a third less time.
constexpr std::string_view kPlaceUnlessAbandonedSql =
    "SELECT session_pk, exchange_number, started_at, content_hash, 0 FROM exchanges"
    " INDEXED BY exchanges_by_pk WHERE exchange_pk = ?1";

}  // namespace

bool ExchangePlaces::any_abandoned() {
  if (!any_abandoned_) {
    any_abandoned_ = db_.prepare("SELECT EXISTS (SELECT 1 FROM abandoned_exchanges)").value_or(0) != 0;
  }
  return *any_abandoned_;
}

const ExchangePlace* ExchangePlaces::find(ExchangeId id) {
  const auto [at, fresh] = known_.try_emplace(id);
  Known& known = at->second;
  if (fresh) {
    if (const auto row = db_.query(any_abandoned() ? kPlaceSql : kPlaceUnlessAbandonedSql, id).row())
      known = {.exists = true,
               .place = {row->int64(0), row->int64(1), row->int64(2), row->int64(3), row->int64(4) != 0}};
  }
  return known.exists ? &known.place : nullptr;
}

namespace {

constexpr std::size_t kFew = 4000;          // most exchanges listed at the start by a path condition
constexpr std::size_t kFewOfIndex = 20000;  // most exchanges listed by a condition that reads only an index
constexpr std::size_t kMarked = 600000;     // most exchanges marked in allowed_
constexpr std::size_t kSearched = 64;       // longest list without marks; for longer ones marks are faster

// Longer paths exceed the limits of systems, and their patterns would exceed SQLite's.
constexpr std::size_t kLongestPath = 8192;

// Returns the pattern of LIKE, with a backslash as its escape character, for texts that contain `part` in any case.
// LIKE takes less than half the time of instr(lower(…)), which copies each text.
std::string pattern_with(std::string_view part) {
  std::string out = "%";
  for (const char c : part) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + '%';
}

// Returns the intersection of both lists; an empty list does not restrict. nullopt: the intersection is empty.
std::optional<std::vector<Platform>> both(const std::vector<Platform>& a, const std::vector<Platform>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<Platform> out;
  std::copy_if(a.begin(), a.end(), std::back_inserter(out),
               [&](Platform p) { return std::find(b.begin(), b.end(), p) != b.end(); });
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace

CandidateFilter::CandidateFilter(sqlite::Database& db, ExchangePlaces& places, const QueryFilter& filter,
                                 const ParsedQuery& typed)
    : db_(db), places_(places), since_(std::max(filter.since, typed.since)), paths_(typed.paths) {
  if (filter.until > 0) until_ = filter.until;
  if (typed.until > 0) until_ = std::min(until_, typed.until);
  check_time_ = since_ > 0 || until_ != std::numeric_limits<TimeMs>::max();
  restrict_sessions(filter, typed);
  if (filter.observed) restrict_observed(*filter.observed);
  if (check_time_) restrict_time();
  restrict_paths();
  restrict_tools(typed.tools);
  if (!list_) return;
  allowed_.reset();  // restrict_to() has applied it to the list
  if (list_->size() > kSearched) allow(*list_);
}

void CandidateFilter::restrict_sessions(const QueryFilter& filter, const ParsedQuery& typed) {
  const auto platforms = both(filter.platforms, typed.platforms);
  if (!platforms) return restrict_to({});
  QueryFilter merged = filter;
  merged.platforms = *platforms;
  const auto c = queries::conditions_of(db_, merged);
  const std::string project = ascii::lowered(typed.project);
  if (c.platforms.empty() && c.project.empty() && c.session_pk == 0 && c.include_subagents && project.empty()) return;

  static const std::string sql =
      "SELECT s.session_pk, s.next_exchange FROM sessions s WHERE " + std::string(queries::kSessionConditions) +
      " AND (?5 = '' OR EXISTS (SELECT 1 FROM projects p WHERE p.project_pk IN (s.project_pk, s.own_project_pk)"
      " AND (instr(lower(p.identity_key), ?5) > 0 OR instr(lower(p.name), ?5) > 0)))";
  auto& q = db_.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, project);
  sessions_.emplace();
  std::int64_t exchanges = 0;
  while (q.step()) {
    sessions_->insert(q.int64(0));
    exchanges += q.int64(1);
  }
  if (auto ids = ids_of_sessions(exchanges)) {
    sessions_.reset();
    list_or_allow(std::move(*ids));
  }
}

std::optional<CandidateFilter::Ids> CandidateFilter::ids_of_sessions(std::int64_t exchanges) {
  if (exchanges > static_cast<std::int64_t>(kMarked)) return std::nullopt;
  Ids ids;
  auto& q = db_.prepare("SELECT exchange_pk FROM exchanges WHERE session_pk = ?1");
  for (const std::int64_t session : *sessions_) {
    q.bind(session);
    while (q.step())
      ids.push_back(q.int64(0));
  }
  return ids;
}

// Estimates whether more than half of the exchanges are in the span, assuming an even distribution.
bool CandidateFilter::is_most(TimeMs since, TimeMs until) {
  const auto row = db_.prepare(
                          "SELECT (SELECT min(started_at) FROM exchanges WHERE started_at > 0), (SELECT "
                          "max(started_at) FROM exchanges)")
                       .row();
  const TimeMs first = row->int64(0);
  const TimeMs last = row->int64(1);
  return std::min(until, last) - std::max(since, first) > (last - first) / 2;
}

void CandidateFilter::restrict_observed(ObservationType type) { list_or_allow(queries::exchanges_observed(db_, type)); }

void CandidateFilter::restrict_time() {
  if (!list_ && is_most(since_, until_)) return leave_out_other_times();
  Ids ids = db_.query("SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2 LIMIT ?3", since_,
                      until_, kMarked + 1)
                .all(sqlite::first_number);
  if (ids.size() > kMarked) return;
  check_time_ = false;
  list_or_allow(std::move(ids));
}

void CandidateFilter::leave_out_other_times() {
  const auto row = db_.prepare("SELECT coalesce(max(exchange_pk), 0) FROM exchanges").row();
  std::vector<bool> allowed(static_cast<std::size_t>(row->int64(0)) + 1, true);
  if (allowed_) allowed = *allowed_;
  auto& q = db_.query(
      "SELECT exchange_pk FROM exchanges WHERE started_at < ?1"
      " UNION ALL SELECT exchange_pk FROM exchanges WHERE started_at >= ?2 LIMIT ?3",
      since_, until_, kMarked + 1);
  std::size_t left_out = 0;
  for (; q.step(); ++left_out)
    if (const auto id = static_cast<std::size_t>(q.int64(0)); id < allowed.size()) allowed[id] = false;
  if (left_out > kMarked) return;
  check_time_ = false;
  allowed_ = std::move(allowed);
}

void CandidateFilter::restrict_paths() {
  std::sort(paths_.begin(), paths_.end());
  paths_.erase(std::unique(paths_.begin(), paths_.end()), paths_.end());
  // CROSS JOIN fixes the join order: with statistics SQLite would scan all exchanges.
  auto& q = db_.prepare(
      "SELECT DISTINCT e.exchange_pk FROM paths p CROSS JOIN exchange_files f ON f.path_pk = p.path_pk"
      " CROSS JOIN exchanges e ON e.session_pk = f.session_pk AND e.exchange_number = f.exchange_number"
      " WHERE p.path LIKE ?1 ESCAPE '\\' LIMIT ?2");
  std::erase_if(paths_, [&](const std::string& part) {
    if (list_ && list_->size() <= kSearched) return false;  // testing these is cheaper
    if (part.size() > kLongestPath) return false;
    Ids ids = q.bind(pattern_with(part), kFew + 1).all(sqlite::first_number);
    if (ids.size() > kFew) return false;
    restrict_to(std::move(ids));
    return true;
  });
}

void CandidateFilter::restrict_tools(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    const auto tools =
        db_.query("SELECT tool_pk FROM tools WHERE instr(lower(tool), ?1) > 0", part).all(sqlite::first_number);

    Ids ids;
    auto& q = db_.prepare("SELECT exchange_pk FROM exchange_tools WHERE tool_pk = ?1 LIMIT ?2");
    for (const std::int64_t tool : tools) {
      q.bind(tool, kMarked + 1 - std::min(ids.size(), kMarked));
      while (q.step())
        ids.push_back(q.int64(0));
    }
    if (ids.size() <= kMarked)
      list_or_allow(std::move(ids));
    else
      tools_.push_back(std::move(tools));
  }
}

void CandidateFilter::list_or_allow(Ids ids) {
  if (list_ || ids.size() <= kFewOfIndex)
    restrict_to(std::move(ids));
  else
    allow(ids);
}

void CandidateFilter::allow(const Ids& ids) {
  std::vector<bool> allowed;
  if (!ids.empty()) allowed.resize(static_cast<std::size_t>(*std::max_element(ids.begin(), ids.end())) + 1);
  for (const ExchangeId id : ids)
    if (may_pass(id)) allowed[static_cast<std::size_t>(id)] = true;
  allowed_ = std::move(allowed);
}

void CandidateFilter::restrict_to(Ids ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(ids, [this](ExchangeId id) { return !may_pass(id); });
  if (list_) {
    Ids common;
    std::set_intersection(list_->begin(), list_->end(), ids.begin(), ids.end(), std::back_inserter(common));
    ids = std::move(common);
  }
  list_ = std::move(ids);
}

ExchangeId CandidateFilter::first_id() const {
  if (!list_) return 0;
  return list_->empty() ? std::numeric_limits<ExchangeId>::max() : list_->front();
}

ExchangeId CandidateFilter::last_id() const {
  if (!list_) return std::numeric_limits<ExchangeId>::max();
  return list_->empty() ? 0 : list_->back();
}

bool CandidateFilter::passes(ExchangeId id) {
  if (allowed_ ? !may_pass(id) : list_ && !std::binary_search(list_->begin(), list_->end(), id)) return false;
  if (!calls_tools(id)) return false;
  if (!sessions_ && !check_time_ && paths_.empty()) return true;
  const ExchangePlace* const place = places_.find(id);
  if (place == nullptr) return false;
  if (sessions_ && !sessions_->contains(place->session)) return false;
  if (check_time_ && (place->started_at < since_ || place->started_at >= until_)) return false;
  return touches_paths(place->session, place->number);
}

bool CandidateFilter::touches_paths(std::int64_t session, std::int64_t number) {
  return std::all_of(paths_.begin(), paths_.end(), [&](const std::string& part) {
    return db_
        .query(
            "SELECT 1 FROM exchange_files f JOIN paths p ON p.path_pk = f.path_pk"
            " WHERE f.session_pk = ?1 AND f.exchange_number = ?2 AND instr(lower(p.path), ?3) > 0 LIMIT 1",
            session, number, part)
        .any();
  });
}

bool CandidateFilter::calls_tools(ExchangeId id) {
  if (tools_.empty()) return true;
  const auto called =
      db_.query("SELECT tool_pk FROM exchange_tools WHERE exchange_pk = ?1", id).all(sqlite::first_number);
  return std::all_of(tools_.begin(), tools_.end(), [&](const std::vector<std::int64_t>& group) {
    return std::find_first_of(called.begin(), called.end(), group.begin(), group.end()) != called.end();
  });
}

}  // namespace memd::search
