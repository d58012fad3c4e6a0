#include "store/read/commits.hpp"

#include <algorithm>
#include <map>

namespace memd::queries {
namespace {

bool may_hold(const PullRequestRow& request, const CommitRow& commit) {
  return request.branch.empty() || commit.branch.empty() || request.branch == commit.branch;
}

// The first one opened behind the commit, else the last one before it. Order inside a session is by event, between two
// sessions by time.
std::string request_of(const std::vector<PullRequestRow>& requests, const CommitRow& commit, bool same_session) {
  std::string before;
  for (const PullRequestRow& request : requests) {
    if (!may_hold(request, commit)) continue;
    if (same_session ? request.event_seq > commit.event_seq : request.time >= commit.time) return request.url;
    before = request.url;
  }
  return before;
}

// The session that started a subagent; 0: none, or it is not known.
std::int64_t parent_of(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.prepare(
                  "SELECT p.session_pk FROM sessions s JOIN sessions p ON p.uid = s.parent_uid"
                  " WHERE s.session_pk = ? AND s.parent_uid <> ''")
                .bind(session_pk);
  const std::int64_t parent = q.step() ? q.int64(0) : 0;
  q.reset();
  return parent;
}

}  // namespace

std::vector<PullRequestRow> pull_requests_of(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.prepare(
                  "SELECT p.url, min(p.event_seq), p.time, coalesce(p.exchange_number, -1), coalesce(x.exchange_pk, 0),"
                  " coalesce((SELECT c.branch FROM commits c WHERE c.session_pk = p.session_pk"
                  "           AND c.event_seq < p.event_seq ORDER BY c.event_seq DESC LIMIT 1), '')"
                  " FROM pull_requests p LEFT JOIN exchanges x ON x.session_pk = p.session_pk"
                  " AND x.exchange_number = p.exchange_number"
                  " WHERE p.session_pk = ?1 GROUP BY p.url ORDER BY 2, p.url")
                .bind(session_pk);
  std::vector<PullRequestRow> out;
  while (q.step())
    out.push_back({q.str(0), q.str(5), q.int64(2), q.int64(3), q.int64(4), q.int64(1)});
  q.reset();
  return out;
}

void join_pull_requests(sqlite::Database& db, std::vector<CommitRow>& commits) {
  constexpr int kDepth = 8;  // subagents of subagents
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
