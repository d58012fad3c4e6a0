#include "store/write/commit_rows.hpp"

#include "schemas/ascii.hpp"
#include "store/text/plain_text.hpp"
#include "store/write/exchange_text.hpp"

#include <algorithm>
#include <optional>

namespace memd::assembly {
namespace {

// Of a call's line; what stands behind it may be cut off where the call is read back from its row.
constexpr std::size_t kCallBytes = 100;
constexpr std::string_view kRootCommit = " (root-commit)";
constexpr std::string_view kDetached = "detached HEAD";

// As git writes one: in small letters.
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

// What git writes behind the line: " 2 files changed, …", " Date: …", " Author: …".
bool is_gits(std::string_view line) {
  if (!line.starts_with(' ')) return false;
  line.remove_prefix(1);
  if (line.starts_with("Date: ") || line.starts_with("Author: ")) return true;
  const auto digits = line.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return false;
  line.remove_prefix(digits);
  return line.starts_with(" file changed") || line.starts_with(" files changed");
}

}  // namespace

std::vector<CommitLine> commits_in(std::string_view output, bool speaks_of_git) {
  std::vector<CommitLine> out;
  bool first = true;
  while (!output.empty()) {
    const auto line = line_at(output);
    const auto end = output.find('\n');
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
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
  if (call.path_pk != 0 || result.text.find("] ") == std::string::npos) return;  // a file's contents say nothing
  const bool git = std::string_view(call.summary).substr(0, kCallBytes).find("git") != std::string_view::npos;
  for (const auto& commit : commits_in(result.text, git)) {
    events.write();  // which these rows refer to
    const auto exchange = session.has_draft ? std::optional(session.draft.number) : std::nullopt;
    db.prepare(
          "INSERT OR IGNORE INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)"
          " VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(session.pk, seq, commit.sha, exchange, commit.branch, commit.subject, result.time)
        .run();
  }
}

}  // namespace memd::assembly
