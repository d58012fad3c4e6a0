#include "daemon/admin/session_recall.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "store/files/git_place.hpp"
#include "store/insight/continuity/pack.hpp"
#include "store/read/recall.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/read/standing_lines.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <optional>

namespace memd::admin {
namespace {

constexpr TimeMs kBranchAge = 7 * kMsPerDay;
constexpr TimeMs kSiblingAge = kMsPerDay;
constexpr TimeMs kStandingAge = 30 * kMsPerDay;
constexpr int kSessionsLookedAt = 30;
constexpr std::size_t kMostSiblings = 3;
constexpr std::size_t kMostLines = 2;  // of each section
constexpr std::size_t kLongestLine = 240;

// Lines within a number of tokens. A line that does not fit is left out.
class Lines {
 public:
  Lines(std::vector<std::string>& out, std::size_t tokens) : out_(out), budget_(tokens) {}

  void add(std::string line) {
    line = ascii::one_line(line);
    if (line.size() > kLongestLine) {
      line.resize(std::min(line.rfind(' ', kLongestLine), kLongestLine));
      line += "…";
    }
    redact(line);
    if (budget_.take_text(line + "\n")) out_.push_back(std::move(line));
  }
  void add_section(std::string_view title, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
      add(std::string(title) + lines[i]);
  }

 private:
  std::vector<std::string>& out_;
  TokenBudget budget_;
};

std::string day_of(TimeMs time) { return format_rfc3339(time).substr(0, 16); }

// Returns what is told of a session's state: no lists of files, commands and names.
Result<continuity::Pack> told_state(Reader& reader, std::int64_t session_pk, bool compacting) {
  MEMD_TRY_ASSIGN(auto past, reader.ask(SessionPastQuery{session_pk, {}}));
  // The compaction that the hook reports is not in the store yet. The last one is this one if no work followed it.
  if (past.worked_on || !compacting) {
    MEMD_TRY_ASSIGN(past, reader.ask(SessionPastQuery{session_pk, {continuity::BoundaryChoice::At::end, 0}}));
  }
  continuity::WorkingState state = continuity::recover_state(past);
  state.files.clear();
  state.commands.clear();
  state.programs.clear();
  state.names.clear();
  std::erase_if(state.tests,
                [](const continuity::TestState& t) { return t.outcome == continuity::TestOutcome::unknown; });
  return continuity::make_pack(state, 2 * kCompactionTokens, continuity::kWeights.complement);
}

void add_state(Lines& lines, const continuity::Pack& state) {
  if (state.last_words) lines.add("Stopped at: " + *state.last_words);
  lines.add_section("Test: ", state.tests);
  if (state.last_error) lines.add("Last error: " + *state.last_error);
  lines.add_section("Keep to: ", state.constraints);
  lines.add_section("Decided: ", state.decisions);
  lines.add_section("Next: ", state.next_steps);
}

}  // namespace

Result<std::vector<std::string>> lines_at_start(Reader& reader, const SessionPlace& place, TimeMs now) {
  std::vector<std::string> out;
  const std::string directory(place.cwd);
  MEMD_TRY_ASSIGN(const auto project, reader.ask(NearestProjectQuery{files::repository_of(directory)}));
  if (!project) return out;
  SessionListQuery query;
  query.filter.project = project->key;
  query.filter.include_subagents = false;
  query.filter.since = now - kBranchAge;
  query.limit = kSessionsLookedAt;
  MEMD_TRY_ASSIGN(SessionList list, reader.ask(query));
  std::erase_if(list.sessions, [&](const SessionRow& s) {
    return s.project_key != project->key || s.native_id == place.session_id || s.exchanges == 0;
  });
  const std::string& branch = place.branch;
  Lines lines(out, kStartTokens);
  // Outside of git the directory takes the branch's place.
  const auto last = branch.empty() ? std::ranges::find(list.sessions, place.cwd, &SessionRow::cwd)
                                   : std::ranges::find(list.sessions, branch, &SessionRow::git_branch);
  MEMD_TRY_ASSIGN(const bool planned,
                  last == list.sessions.end() ? Result<bool>(false) : reader.ask(EndsWithPlanQuery{last->pk}));
  if (last != list.sessions.end() && !planned) {
    lines.add((branch.empty() ? "This directory" : "Branch " + branch) + ", last worked on " + day_of(last->ended_at) +
              ": " + last->title);
    MEMD_TRY_ASSIGN(const auto state, told_state(reader, last->pk, false));
    add_state(lines, state);
  }
  std::vector<std::string_view> branches{branch};
  for (const SessionRow& s : list.sessions) {
    if (s.ended_at < now - kSiblingAge || s.git_branch.empty() || s.cwd == place.cwd ||
        std::ranges::find(branches, s.git_branch) != branches.end() || branches.size() > kMostSiblings)
      continue;
    branches.push_back(s.git_branch);
    lines.add("Meanwhile in " + s.cwd + ", branch " + s.git_branch + ", " + day_of(s.ended_at) + ": " + s.title);
  }
  Lines standing(out, kStandingTokens);
  MEMD_TRY_ASSIGN(const auto said, reader.ask(StandingLinesQuery{project->key, now - kStandingAge}));
  for (const StandingLine& line : said)
    standing.add("Said in " + std::to_string(line.sessions) + " sessions, last " + day_of(line.last).substr(0, 10) +
                 ": \"" + line.text + "\" [" + format_exchange_id(line.exchange) + "]");
  return out;
}

Result<std::vector<std::string>> lines_after_compaction(Reader& reader, const SessionPlace& place) {
  std::vector<std::string> out;
  MEMD_TRY_ASSIGN(const SessionRow session, reader.ask(SessionQuery{place.session_id}));
  Lines lines(out, kCompactionTokens);
  MEMD_TRY_ASSIGN(const auto done, reader.ask(CommitsQuery{session.pk}));
  lines.add_section("Committed: ", done);
  MEMD_TRY_ASSIGN(const auto state, told_state(reader, session.pk, true));
  add_state(lines, state);
  return out;
}

}  // namespace memd::admin
