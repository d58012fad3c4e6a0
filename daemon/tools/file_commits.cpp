// Commits and the sessions they come from.
#include "daemon/tools/file_query.hpp"
#include "daemon/tools/time_argument.hpp"
#include "schemas/ascii.hpp"
#include "store/read/commits.hpp"
#include "store/read/file_history.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

constexpr TimeMs kWindow = kMsPerDay;  // before a commit, in which its changes are looked for
constexpr TimeMs kSoonAfter = 60LL * 60 * 1000;
constexpr std::int64_t kExchangesOfCommit = 30;
constexpr std::size_t kCandidates = 3;

Result<std::string> read_sha(std::string_view text) {
  std::string out = ascii::lowered(text);
  const bool hex = out.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && out.size() >= 4) return out;
  return Error(Errc::invalid_argument,
               "commit: \"" + std::string(text) + "\" is no commit id, send at least 4 of its hexadecimal digits");
}

CommitOut exact(const CommitRow& row) {
  CommitOut out;
  out.sha = row.sha;
  if (!row.branch.empty()) out.branch = row.branch;
  out.subject = row.subject;
  out.timestamp = format_rfc3339(row.time);
  out.session_id = row.session_uid;
  if (row.exchange_id != 0) out.exchange_id = format_exchange_id(row.exchange_id);
  if (!row.pull_request.empty()) out.pull_request = row.pull_request;
  out.confidence = "exact";
  out.evidence = "git said so in the session";
  return out;
}

// What the session changed since its commit before.
Result<void> span_of(Reader& reader, const CommitRow& row, FileQuestion& question) {
  MEMD_TRY_ASSIGN(const auto before, reader.ask(CommitBeforeQuery{row.session_pk, row.event_seq}));
  std::int64_t first = before ? std::min(before->exchange_number + 1, row.exchange_number) : 0;
  first = std::max(first, row.exchange_number - kExchangesOfCommit);
  question.query.session_pk = row.session_pk;
  question.query.first_exchange = std::max<std::int64_t>(first, 0);
  question.query.last_exchange = row.exchange_number;
  if (!question.query.access) question.query.access = FileAccess::modified;
  return {};
}

std::string_view confidence_of(const CommitCandidate& c, std::size_t names, const CommitCandidatesQuery& clues) {
  const double share = static_cast<double>(c.names) / static_cast<double>(std::max<std::size_t>(names, 1));
  const bool branch = !clues.branch.empty() && c.branch == clues.branch;
  const bool soon = clues.time - c.last_change <= kSoonAfter;
  if (share >= 0.8 && branch && soon) return "high";
  if (share >= 0.5 && (branch || soon)) return "medium";
  return "low";
}

Result<void> join_by_clues(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                           FileQuestion& question) {
  CommitCandidatesQuery clues;
  MEMD_TRY_ASSIGN(clues.time, parse_time_argument("commit_time", *params.commit_time, RangeEnd::until, services.clock));
  clues.branch = params.branch.value_or("");
  clues.window = kWindow;
  clues.filter = question.query.filter;
  std::vector<std::string> names = params.paths;
  if (names.empty() && params.path) names.push_back(*params.path);
  if (names.empty())
    return Error(Errc::invalid_argument, "paths: commit_time needs the files of the commit (git show --name-only)");
  for (std::size_t i = 0; i < names.size(); ++i) {
    MEMD_TRY_ASSIGN(const PathFinding found, reader.ask(PathQuery{names[i]}));
    for (const auto& p : found.paths) {
      clues.paths.push_back(p.pk);
      clues.name_of.push_back(static_cast<int>(i));
    }
  }
  MEMD_TRY_ASSIGN(const auto candidates, reader.ask(clues));
  for (const CommitCandidate& c : candidates) {
    if (question.commits.size() == kCandidates) break;
    CommitOut out;
    if (!c.branch.empty()) out.branch = c.branch;
    out.timestamp = format_rfc3339(c.last_change);
    out.session_id = c.session_uid;
    out.confidence = confidence_of(c, names.size(), clues);
    out.evidence = "changed " + std::to_string(c.names) + " of " + std::to_string(names.size()) +
                   " files in the day before the commit";
    question.commits.push_back(std::move(out));
  }
  if (candidates.empty()) {
    question.nothing = true;
    question.notes.emplace_back("No session changed these files in the day before the commit.");
    return {};
  }
  const CommitCandidate& best = candidates.front();
  question.query.session_pk = best.session_pk;
  question.query.first_exchange = best.first_exchange;
  question.query.last_exchange = best.last_exchange;
  question.query.paths = clues.paths;
  question.query.access = FileAccess::modified;
  question.several_files = true;
  question.notes.emplace_back("No transcript names this commit: it is joined by time, files" +
                              std::string(clues.branch.empty() ? "" : " and branch") + ", which may be wrong.");
  return {};
}

}  // namespace

Result<void> find_commit(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                         const Scope& scope, FileQuestion& question) {
  std::string sha;
  if (params.commit && !params.commit->empty()) {
    MEMD_TRY_ASSIGN(sha, read_sha(*params.commit));
    MEMD_TRY_ASSIGN(auto rows, reader.ask(CommitsQuery{sha}));
    std::erase_if(rows, [&](const CommitRow& row) {
      const auto platform = parse_platform(std::string_view(row.session_uid).substr(0, row.session_uid.find(':')));
      return !platform || !scope.includes(*platform);
    });
    // Rows of the same beginning may be of other commits: those that say more of the id come first.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CommitRow& a, const CommitRow& b) { return a.sha.size() > b.sha.size(); });
    for (const CommitRow& row : rows)
      question.commits.push_back(exact(row));
    if (!rows.empty()) {
      question.several_files = true;
      return span_of(reader, rows.front(), question);
    }
  }
  if (params.commit_time && !params.commit_time->empty()) return join_by_clues(services, reader, params, question);
  question.nothing = true;
  question.notes.push_back("No session shows commit " + sha +
                           " being made. To join it by time and files, send commit_time (git show -s --format=%cI), "
                           "branch and paths (git show --name-only --format=).");
  return {};
}

}  // namespace memd::tools
