#include "daemon/tools/session_commits.hpp"

#include "schemas/ascii.hpp"
#include "store/text/token_budget.hpp"

namespace memd::tools {
namespace {

constexpr std::size_t kSubjectTokens = 16;

// "#7"; the address stands beside it once.
std::string number_of(const std::string& url) { return "#" + url.substr(url.rfind('/') + 1); }

}  // namespace

SessionCommits::SessionCommits(const SessionDigest& digest) {
  for (auto it = digest.commits.rbegin(); it != digest.commits.rend(); ++it) {
    SessionCommitOut one;
    one.sha = it->sha;
    one.exchange_id = it->exchange_id != 0 ? format_exchange_id(it->exchange_id) : std::string();
    one.subject = cut_to_tokens(ascii::one_line(it->subject), kSubjectTokens).text;
    if (!it->pull_request.empty()) one.pull_request = number_of(it->pull_request);
    commits_.push_back(std::move(one));
  }
  for (auto it = digest.pull_requests.rbegin(); it != digest.pull_requests.rend(); ++it)
    pull_requests_.push_back(it->url);
}

void SessionCommits::describe(SessionSummaryAnswer& out) const {
  out.commits_total = static_cast<std::int64_t>(commits_.size());
  out.pull_requests_total = static_cast<std::int64_t>(pull_requests_.size());
}

std::size_t SessionCommits::add(SessionSummaryAnswer& out, std::size_t tokens) const {
  TokenBudget budget(tokens);
  out.commits.clear();
  out.pull_requests.clear();
  for (const std::string& url : pull_requests_) {
    if (!budget.take(estimate_tokens(url) + 3)) break;
    out.pull_requests.push_back(url);
  }
  for (const SessionCommitOut& commit : commits_) {
    if (!budget.take_text(mcp::to_json(commit))) break;
    out.commits.push_back(commit);
  }
  return budget.used();
}

}  // namespace memd::tools
