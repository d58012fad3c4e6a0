#include "store/read/commits.hpp"

#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/row_filter.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace memd::queries {
namespace {

bool may_hold(const PullRequestRow& request, const CommitRow& commit) {
  return request.branch.empty() || commit.branch.empty() || request.branch == commit.branch;
}

// Returns the first request opened after the commit, else the last one before it. Compares by event within one session,
// by time between two sessions.
std::string request_of(const std::vector<PullRequestRow>& requests, const CommitRow& commit, bool same_session) {
  std::string before;
  for (const PullRequestRow& request : requests) {
    if (!may_hold(request, commit)) continue;
    if (same_session ? request.event_seq > commit.event_seq : request.time >= commit.time) return request.url;
    before = request.url;
  }
  return before;
}

// Returns the session that started a subagent; 0: none or unknown.
std::int64_t parent_of(sqlite::Database& db, std::int64_t session_pk) {
  return db
      .query(
          "SELECT p.session_pk FROM sessions s JOIN sessions p ON p.uid = s.parent_uid"
          " WHERE s.session_pk = ? AND s.parent_uid <> ''",
          session_pk)
      .value_or(0);
}

}  // namespace

std::vector<PullRequestRow> pull_requests_of(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.query(
      "SELECT p.url, coalesce((SELECT c.branch FROM commits c WHERE c.session_pk = p.session_pk"
      "           AND c.event_seq < p.event_seq ORDER BY c.event_seq DESC LIMIT 1), ''),"
      " p.time, coalesce(p.exchange_number, -1), coalesce(x.exchange_pk, 0), min(p.event_seq)"
      " FROM pull_requests p LEFT JOIN exchanges x ON x.session_pk = p.session_pk"
      " AND x.exchange_number = p.exchange_number"
      " WHERE p.session_pk = ?1 GROUP BY p.url ORDER BY 6, p.url",
      session_pk);
  std::vector<PullRequestRow> out;
  sqlite::each(q, [&](std::string url, GitMention where) { out.push_back({std::move(where), std::move(url)}); });
  return out;
}

void join_pull_requests(sqlite::Database& db, std::vector<CommitRow>& commits) {
  constexpr int kDepth = 8;  // maximum nesting of subagents
  struct Known {
    std::vector<PullRequestRow> requests;
    std::int64_t parent = 0;
  };
  std::map<std::int64_t, Known> known;
  for (CommitRow& commit : commits) {
    std::int64_t session = commit.session_pk;
    for (int depth = 0; session != 0 && depth < kDepth && commit.pull_request.empty(); ++depth) {
      const auto [it, fresh] = known.try_emplace(session);
      if (fresh) it->second = {pull_requests_of(db, session), parent_of(db, session)};
      commit.pull_request = request_of(it->second.requests, commit, session == commit.session_pk);
      session = it->second.parent;
    }
  }
}

}  // namespace memd::queries

namespace memd {
namespace queries {
namespace {

constexpr std::string_view kColumns =
    "SELECT c.sha, c.branch, c.subject, c.time, c.session_pk, s.uid, coalesce(c.exchange_number, -1),"
    " coalesce(x.exchange_pk, 0), c.event_seq FROM commits c JOIN sessions s ON s.session_pk = c.session_pk"
    " LEFT JOIN exchanges x ON x.session_pk = c.session_pk AND x.exchange_number = c.exchange_number ";
constexpr std::size_t kMostCommits = 20;
constexpr std::size_t kLeastSha = 7;  // length of stored ids

CommitRow read_commit(const sqlite::Statement& q) {
  CommitRow c;
  sqlite::read(q, c.sha, c.branch, c.subject, c.time, c.session_pk, c.session_uid, c.exchange_number, c.exchange_id,
               c.event_seq);
  return c;
}

std::optional<CommitRow> read_one(sqlite::Statement& q) {
  std::optional<CommitRow> out;
  if (const auto row = q.row()) out = read_commit(*row);
  return out;
}

}  // namespace

std::vector<CommitRow> commits_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                  std::int64_t last) {
  static const std::string sql =
      std::string(kColumns) +
      "WHERE c.session_pk = ? AND c.exchange_number BETWEEN ? AND ? ORDER BY c.event_seq, c.sha";
  auto out = db.query(sql, session_pk, first, last).all(read_commit);
  join_pull_requests(db, out);
  return out;
}

std::optional<CommitRow> commit_after(sqlite::Database& db, std::int64_t session_pk, std::int64_t event_seq) {
  static const std::string sql =
      std::string(kColumns) + "WHERE c.session_pk = ? AND c.event_seq > ? ORDER BY c.event_seq LIMIT 1";
  return read_one(db.query(sql, session_pk, event_seq));
}

}  // namespace queries

std::vector<CommitRow> CommitsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string longer = std::string(kColumns) + "WHERE c.sha >= ?1 AND c.sha < ?1 || 'g' LIMIT 100";
  static const std::string same = std::string(kColumns) + "WHERE c.sha = ?1 LIMIT 100";
  auto out = db.query(longer, sha).all(read_commit);
  for (std::size_t n = kLeastSha; n < sha.size(); ++n)
    std::ranges::move(db.query(same, sha.substr(0, n)).all(read_commit), std::back_inserter(out));
  std::sort(out.begin(), out.end(), [](const CommitRow& a, const CommitRow& b) {
    return a.time != b.time ? a.time > b.time
                            : std::pair(a.session_pk, a.event_seq) > std::pair(b.session_pk, b.event_seq);
  });
  if (out.size() > kMostCommits) out.resize(kMostCommits);
  join_pull_requests(db, out);
  return out;
}

std::optional<CommitRow> CommitBeforeQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      std::string(kColumns) + "WHERE c.session_pk = ? AND c.event_seq < ? ORDER BY c.event_seq DESC LIMIT 1";
  return read_one(db.query(sql, session_pk, event_seq));
}

std::vector<CommitCandidate> CommitCandidatesQuery::run(sqlite::Database& db) const {
  static const std::string sql =
      "SELECT f.session_pk, s.uid, x.git_branch, f.exchange_number, x.ended_at FROM exchange_files f"
      " CROSS JOIN exchanges x ON x.session_pk = f.session_pk AND x.exchange_number = f.exchange_number"
      " CROSS JOIN sessions s ON s.session_pk = f.session_pk WHERE" +
      std::string(queries::kSessionConditions) +
      sql_text(
          " AND f.path_pk = ?5 AND f.access = FileAccess::modified AND x.started_at <= ?6"
          " AND x.ended_at >= ?7")
          .str();
  const auto c = queries::conditions_of(db, filter);
  std::map<std::int64_t, CommitCandidate> found;
  std::map<std::int64_t, std::set<int>> names;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, paths[i], time, time - window);
    while (q.step()) {
      const std::string used = q.str(2);
      if (!branch.empty() && !used.empty() && used != branch) continue;
      const std::int64_t number = q.int64(3);
      const auto [it, fresh] = found.try_emplace(q.int64(0));
      CommitCandidate& one = it->second;
      if (fresh) one = {q.int64(0), q.str(1), used, number, number, 0, 0};
      one.first_exchange = std::min(one.first_exchange, number);
      if (number >= one.last_exchange) one.last_exchange = number, one.branch = used;
      one.last_change = std::max(one.last_change, std::min(q.int64(4), time));
      names[one.session_pk].insert(name_of[i]);
    }
  }
  std::vector<CommitCandidate> out;
  for (auto& [pk, one] : found) {
    one.names = static_cast<int>(names[pk].size());
    out.push_back(std::move(one));
  }
  std::sort(out.begin(), out.end(), [](const CommitCandidate& a, const CommitCandidate& b) {
    if (a.names != b.names) return a.names > b.names;
    return a.last_change != b.last_change ? a.last_change > b.last_change : a.session_pk > b.session_pk;
  });
  return out;
}

}  // namespace memd
