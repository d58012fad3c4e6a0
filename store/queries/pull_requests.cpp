#include "store/queries/pull_requests.hpp"

#include <algorithm>
#include <map>

namespace memd::queries {
namespace {

bool may_hold(const PullRequestRow& request, const CommitRow& commit) {
  return request.branch.empty() || commit.branch.empty() || request.branch == commit.branch;
}

std::string request_of(const std::vector<PullRequestRow>& requests, const CommitRow& commit) {
  std::string before;
  for (const PullRequestRow& request : requests) {
    if (!may_hold(request, commit)) continue;
    if (request.event_seq > commit.event_seq) return request.url;
    before = request.url;
  }
  return before;
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
  std::map<std::int64_t, std::vector<PullRequestRow>> of_session;
  for (CommitRow& commit : commits) {
    const auto [it, fresh] = of_session.try_emplace(commit.session_pk);
    if (fresh) it->second = pull_requests_of(db, commit.session_pk);
    commit.pull_request = request_of(it->second, commit);
  }
}

}  // namespace memd::queries
