#include "store/write/git_rows.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/pull_request.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace memd::assembly {
namespace {

// Length in bytes of the part of a call's line that is examined. A call read back from its row may be cut after it.
constexpr std::size_t kLineBytes = 100;
constexpr std::string_view kRootCommit = " (root-commit)";
constexpr std::string_view kDetached = "detached HEAD";

// Git prints hashes in lower case.
bool is_of_sha(char c) { return ascii::is_hex(c) && !ascii::is_upper(c); }

std::string_view line_at(std::string_view text) {
  auto line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<CommitLine> read_line(std::string_view line) {
  const auto close = line.find("] ");
  if (!line.starts_with('[') || close == std::string_view::npos || close + 2 >= line.size()) return std::nullopt;
  std::string_view head = line.substr(1, close - 1);
  const auto blank = head.rfind(' ');
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const std::string_view sha = head.substr(blank + 1);
  if (sha.size() < 7 || sha.size() > 40 || !std::all_of(sha.begin(), sha.end(), is_of_sha)) return std::nullopt;
  head = head.substr(0, blank);
  if (head.ends_with(kRootCommit)) head.remove_suffix(kRootCommit.size());
  if (head.find_first_of("[]\"'") != std::string_view::npos) return std::nullopt;
  return CommitLine{std::string(sha), std::string(head == kDetached ? std::string_view() : head),
                    first_line(line.substr(close + 2), kCommitSubjectBytes)};
}

// Returns whether git prints such a line after the commit line: " 2 files changed, …", " Date: …", " Author: …".
bool is_gits(std::string_view line) {
  if (!line.starts_with(' ')) return false;
  line.remove_prefix(1);
  if (line.starts_with("Date: ") || line.starts_with("Author: ")) return true;
  const auto digits = line.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return false;
  line.remove_prefix(digits);
  return line.starts_with(" file changed") || line.starts_with(" files changed");
}

constexpr std::string_view kScheme = "https://";
constexpr std::array<std::string_view, 2> kOpeners{"gh pr create", "glab mr create"};

// Name endings of tools that open pull requests, on any server: "mcp__github__create_pull_request",
// "createPullRequest".
constexpr std::array<std::string_view, 3> kOpeningTools{"createpullrequest", "createmergerequest", "openpullrequest"};
bool opens_pull_requests(std::string_view tool) {
  std::string letters;
  for (const char c : tool)
    if (c != '_' && c != '-') letters += ascii::lower(c);
  return std::any_of(kOpeningTools.begin(), kOpeningTools.end(),
                     [&](std::string_view name) { return letters.ends_with(name); });
}

void save_address(sqlite::Database& db, EventRows& events, const SessionWork& session, std::string_view url,
                  const Event& event, std::int64_t seq) {
  events.write();  // the new row refers to these
  const auto exchange = session.has_draft ? std::optional(session.draft.number) : std::nullopt;
  db.run(
      "INSERT OR IGNORE INTO pull_requests (session_pk, event_seq, url, exchange_number, time)"
      " VALUES (?, ?, ?, ?, ?)",
      session.pk, seq, url, exchange, event.time);
}

}  // namespace

std::vector<CommitLine> commits_in(std::string_view output, bool speaks_of_git) {
  std::vector<CommitLine> out;
  bool first = true;
  while (!output.empty()) {
    const auto line = line_at(output);
    ascii::take_until(output, '\n');
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    auto commit = read_line(line);
    const bool sure = is_gits(line_at(output)) || (first && speaks_of_git);
    first = false;
    if (!commit || !sure) continue;
    const bool again = std::any_of(out.begin(), out.end(), [&](const CommitLine& c) { return c.sha == commit->sha; });
    if (!again) out.push_back(std::move(*commit));
  }
  return out;
}

void save_commits(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                  const Event& result, std::int64_t seq) {
  if (call.path_pk != 0 || result.text.find("] ") == std::string::npos) return;  // file contents prove nothing
  const bool git = std::string_view(call.summary).substr(0, kLineBytes).find("git") != std::string_view::npos;
  for (const auto& commit : commits_in(result.text, git)) {
    events.write();  // the new rows refer to these
    const auto exchange = session.has_draft ? std::optional(session.draft.number) : std::nullopt;
    db.run(
        "INSERT OR IGNORE INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        session.pk, seq, commit.sha, exchange, commit.branch, commit.subject, result.time);
  }
}

std::vector<std::string> pull_requests_in(std::string_view output) {
  std::vector<std::string> out;
  while (!output.empty()) {
    const std::string_view line = ascii::trimmed(ascii::take_until(output, '\n'));
    if (is_pull_request(line) && std::find(out.begin(), out.end(), line) == out.end()) out.emplace_back(line);
  }
  return out;
}

void save_pull_requests(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                        const Event& result, std::int64_t seq) {
  if (opens_pull_requests(call.tool)) {
    if (is_pull_request(result.pull_request)) save_address(db, events, session, result.pull_request, result, seq);
    return;
  }
  const std::string_view line = std::string_view(call.summary).substr(0, kLineBytes);
  const bool opens = std::any_of(kOpeners.begin(), kOpeners.end(),
                                 [&](std::string_view o) { return line.find(o) != std::string_view::npos; });
  if (!opens) return;
  for (const std::string& url : pull_requests_in(result.text))
    save_address(db, events, session, url, result, seq);
}

void save_linked_pull_request(sqlite::Database& db, EventRows& events, const SessionWork& session, const Event& link,
                              std::int64_t seq) {
  const std::string_view text = link.summary;
  for (auto at = text.find(kScheme); at != std::string_view::npos; at = text.find(kScheme, at + 1)) {
    const auto word = text.substr(at, text.find(' ', at) - at);
    if (is_pull_request(word)) return save_address(db, events, session, word, link, seq);
  }
}

}  // namespace memd::assembly
