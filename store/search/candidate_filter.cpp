#include "store/search/candidate_filter.hpp"

#include "store/queries/row_filter.hpp"

#include <algorithm>
#include <iterator>

namespace memd::search {
namespace {

constexpr std::size_t kFew = 4000;  // exchanges listed up front

// Both lists restrict; an empty one does not. nullopt: they exclude each other.
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

CandidateFilter::CandidateFilter(sqlite::Database& db, const QueryFilter& filter, const ParsedQuery& typed)
    : db_(db), since_(std::max(filter.since, typed.since)), paths_(typed.paths), tools_(typed.tools) {
  if (filter.until > 0) until_ = filter.until;
  if (typed.until > 0) until_ = std::min(until_, typed.until);
  check_time_ = since_ > 0 || until_ != std::numeric_limits<TimeMs>::max();
  restrict_sessions(filter, typed);
  if (!tools_.empty()) restrict_tools();
  if (sessions_) list_if_few();
  if (check_time_) restrict_time();
  if (paths_.size() == 1) restrict_paths();
}

void CandidateFilter::restrict_sessions(const QueryFilter& filter, const ParsedQuery& typed) {
  const auto platforms = both(filter.platforms, typed.platforms);
  if (!platforms) return restrict_to({});
  QueryFilter merged = filter;
  merged.platforms = *platforms;
  const auto c = queries::conditions_of(db_, merged);
  const std::string project = queries::ascii_lower(typed.project);
  if (c.platforms.empty() && c.project.empty() && c.session_pk == 0 && c.include_subagents && project.empty()) return;

  static const std::string sql =
      "SELECT s.session_pk FROM sessions s LEFT JOIN projects p ON p.project_pk = s.project_pk "
      "WHERE " +
      std::string(queries::kSessionConditions) +
      " AND (?5 = '' OR instr(lower(p.identity_key), ?5) > 0 OR instr(lower(p.name), ?5) > 0)";
  auto& q = db_.prepare(sql).bind(c.platforms, c.project, c.session_pk, c.include_subagents, project);
  sessions_.emplace();
  while (q.step())
    sessions_->insert(q.int64(0));
  q.reset();
}

// Tools are known by session, and not yet of exchanges whose terms are missing: of the sessions that may have called
// such a tool, each exchange is looked at.
void CandidateFilter::restrict_tools() {
  for (const std::string& part : tools_) {
    std::unordered_set<std::int64_t> calling;
    auto& q = db_.prepare(
                     "WITH RECURSIVE known (tool) AS (SELECT min(tool) FROM session_tools UNION ALL"
                     " SELECT (SELECT min(t.tool) FROM session_tools t WHERE t.tool > known.tool) FROM known"
                     " WHERE known.tool IS NOT NULL)"
                     " SELECT s.session_pk FROM known CROSS JOIN session_tools s USING (tool)"
                     " WHERE instr(lower(known.tool), ?1) > 0"
                     " UNION SELECT e.session_pk FROM enrichment_queue w CROSS JOIN exchanges e USING (exchange_pk)"
                     " WHERE w.missing & 1")
                  .bind(part);
    while (q.step())
      if (!sessions_ || sessions_->contains(q.int64(0))) calling.insert(q.int64(0));
    q.reset();
    sessions_ = std::move(calling);
  }
}

void CandidateFilter::list_if_few() {
  std::int64_t exchanges = 0;
  auto& count = db_.prepare("SELECT next_exchange FROM sessions WHERE session_pk = ?1");
  for (const std::int64_t session : *sessions_)
    if (count.bind(session).step())
      if (exchanges += count.int64(0); exchanges > static_cast<std::int64_t>(kFew)) break;
  count.reset();
  if (exchanges > static_cast<std::int64_t>(kFew)) return;
  Ids ids;
  auto& q = db_.prepare("SELECT exchange_pk FROM exchanges WHERE session_pk = ?1");
  for (const std::int64_t session : *sessions_)
    for (q.bind(session); q.step();)
      ids.push_back(q.int64(0));
  q.reset();
  sessions_.reset();
  restrict_to(std::move(ids));
}

void CandidateFilter::restrict_time() {
  auto& q = db_.prepare("SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2 LIMIT ?3")
                .bind(since_, until_, kFew + 1);
  Ids ids;
  while (q.step())
    ids.push_back(q.int64(0));
  q.reset();
  if (ids.size() > kFew) return;
  check_time_ = false;
  restrict_to(std::move(ids));
}

void CandidateFilter::restrict_paths() {
  auto& q = db_.prepare(
                   "SELECT DISTINCT e.exchange_pk FROM paths p JOIN exchange_files f ON f.path_pk = p.path_pk"
                   " JOIN exchanges e ON e.session_pk = f.session_pk AND e.exchange_number = f.exchange_number"
                   " WHERE instr(lower(p.path), ?1) > 0 LIMIT ?2")
                .bind(paths_.front(), kFew + 1);
  Ids ids;
  while (q.step())
    ids.push_back(q.int64(0));
  q.reset();
  if (ids.size() > kFew) return;
  paths_.clear();
  restrict_to(std::move(ids));
}

void CandidateFilter::restrict_to(Ids ids) {
  std::sort(ids.begin(), ids.end());
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
  if (list_ && !std::binary_search(list_->begin(), list_->end(), id)) return false;
  if (!sessions_ && !check_time_ && paths_.empty() && tools_.empty()) return true;
  auto& q = db_.prepare(
                   "SELECT session_pk, started_at, exchange_number, first_seq, last_seq FROM exchanges"
                   " WHERE exchange_pk = ?1")
                .bind(id);
  if (!q.step()) return false;
  const auto session = q.int64(0);
  const TimeMs time = q.int64(1);
  const auto number = q.int64(2);
  const auto first_seq = q.int64(3);
  const auto last_seq = q.int64(4);
  q.reset();
  if (sessions_ && !sessions_->contains(session)) return false;
  if (check_time_ && (time < since_ || time >= until_)) return false;
  return touches_paths(session, number) && calls_tools(session, first_seq, last_seq);
}

bool CandidateFilter::touches_paths(std::int64_t session, std::int64_t number) {
  return std::all_of(paths_.begin(), paths_.end(), [&](const std::string& part) {
    auto& q = db_.prepare(
                     "SELECT 1 FROM exchange_files f JOIN paths p ON p.path_pk = f.path_pk"
                     " WHERE f.session_pk = ?1 AND f.exchange_number = ?2 AND instr(lower(p.path), ?3) > 0 LIMIT 1")
                  .bind(session, number, part);
    const bool found = q.step();
    q.reset();
    return found;
  });
}

bool CandidateFilter::calls_tools(std::int64_t session, std::int64_t first_seq, std::int64_t last_seq) {
  return std::all_of(tools_.begin(), tools_.end(), [&](const std::string& part) {
    auto& q = db_.prepare(
                     "SELECT 1 FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND kind = 3"
                     " AND instr(lower(tool), ?4) > 0 LIMIT 1")
                  .bind(session, first_seq, last_seq, part);
    const bool found = q.step();
    q.reset();
    return found;
  });
}

}  // namespace memd::search
