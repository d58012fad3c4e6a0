#include "daemon/admin/session_recall.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "schemas/search.hpp"
#include "store/files/git_place.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/pack.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/read/observations.hpp"
#include "store/read/recall.hpp"
#include "store/read/session_end.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/read/standing_lines.hpp"
#include "store/reader.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/search/words/rare_words.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace memd::admin {
namespace {

constexpr TimeMs kBranchAge = 7 * kMsPerDay;
constexpr TimeMs kSiblingAge = kMsPerDay;
constexpr TimeMs kStandingAge = 30 * kMsPerDay;
constexpr int kSessionsLookedAt = 30;
constexpr std::size_t kMostSiblings = 3;
constexpr std::size_t kMostLines = 2;        // of each section
constexpr std::size_t kMostReplies = 5;      // each is short, and its number cannot be guessed
constexpr std::size_t kShortestPrompt = 25;  // bytes
constexpr std::size_t kReadOfPrompt = 600;   // bytes
constexpr TimeMs kFresh = 2 * kMsPerDay;
constexpr std::int64_t kRareWordsShared = 2;
constexpr int kChoicesRead = 100;
constexpr std::size_t kLongestLine = 240;

// Lines within a number of tokens. A line that does not fit is left out.
class Lines {
 public:
  Lines(std::vector<std::string>& out, std::size_t tokens) : out_(out), budget_(tokens) {}

  void add(std::string line) {
    redact(line);
    const std::size_t id = line.ends_with(']') ? line.rfind(" [x") : std::string::npos;
    const std::string source = id == std::string::npos ? std::string() : line.substr(id);
    line = continuity::shortened(line.substr(0, id), kLongestLine) + source;
    if (budget_.take_text(line + "\n")) out_.push_back(std::move(line));
  }
  void add_section(std::string_view title, const std::vector<std::string>& lines, std::size_t most = kMostLines) {
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i)
      if (said_.insert(lines[i]).second) add(std::string(title) + lines[i]);
  }

 private:
  std::vector<std::string>& out_;
  TokenBudget budget_;
  std::set<std::string> said_;  // a rule may be a decision, too
};

std::string day_of(TimeMs time) { return format_rfc3339(time).substr(0, 16); }

// Whether a person decided, and it stands.
bool is_ruling(const PlacedObservation& made) {
  const auto& decision = made.observation.decision;
  return decision && decision->by == DecidedBy::user && made.reversed_by == 0;
}

std::string told_decision(const PlacedObservation& made) {
  return made.observation.decision->sentence + " [" + format_exchange_id(made.exchange_id) + "]";
}

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
  state.names.clear();
  // A session that starts runs what passed again by itself.
  std::erase_if(state.tests, [&](const continuity::TestState& t) {
    return t.outcome == continuity::TestOutcome::unknown ||
           (!compacting && t.outcome != continuity::TestOutcome::failed);
  });
  state.decisions.clear();  // see decisions_of()
  state.said.clear();
  const auto announces = [](const continuity::ExtractedSentence& s) { return continuity::announces(s.text); };
  std::erase_if(state.next_steps, announces);
  if (state.last_words && announces(*state.last_words)) state.last_words.reset();
  return continuity::make_pack(state, 2 * kCompactionTokens, continuity::kWeights.complement);
}

// Returns what the person decided in a session and did not take back, newest first.
Result<std::vector<std::string>> decisions_of(Reader& reader, const SessionRow& session) {
  ObservationListQuery query;
  query.filter.session = session.uid;
  query.type = ObservationType::decision;
  MEMD_TRY_ASSIGN(const ObservationList found, reader.ask(query));
  std::vector<std::string> out;
  for (const ObservationRow& row : found.observations)
    if (is_ruling(row)) out.push_back(told_decision(row));
  return out;
}

void add_state(Lines& lines, const continuity::Pack& state, const std::vector<std::string>& decided) {
  if (state.last_words) lines.add("Stopped at: " + *state.last_words);
  lines.add_section("Test: ", state.tests);
  if (state.last_error && !error_signature(*state.last_error).empty()) lines.add("Last error: " + *state.last_error);
  lines.add_section("Keep to: ", state.constraints);
  lines.add_section("Decided: ", decided);
  lines.add_section("Said: ", state.said);
  lines.add_section("Next: ", state.next_steps);
}

Result<std::optional<NearestProjectQuery::Found>> project_of(Reader& reader, const SessionPlace& place) {
  return reader.ask(NearestProjectQuery{files::repository_of(std::string(place.cwd))});
}

// Whether a branch is where all work ends up, so that sessions on it have nothing in common.
bool is_trunk(std::string_view branch) { return branch == "main" || branch == "master"; }

std::string told_hit(const SearchHit& hit) {
  constexpr std::size_t kAsked = 100;
  return "Earlier, " + day_of(hit.started_at) + ", asked \"" + continuity::shortened(hit.user_message, kAsked) +
         "\": " + ascii::one_line(hit.snippet) + " [" + format_exchange_id(hit.id) + "]";
}

}  // namespace

Result<std::vector<std::string>> lines_at_start(Reader& reader, const SessionPlace& place, TimeMs now) {
  std::vector<std::string> out;
  MEMD_TRY_ASSIGN(const auto project, project_of(reader, place));
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
  // Outside of git, and of an agent that records no branch, the directory takes the branch's place.
  const auto last = std::ranges::find_if(list.sessions, [&](const SessionRow& s) {
    if (is_trunk(branch) && s.ended_at < now - kSiblingAge) return false;
    return branch.empty() || s.git_branch.empty() ? s.cwd == place.cwd : s.git_branch == branch;
  });
  if (last != list.sessions.end()) {
    MEMD_TRY_ASSIGN(const SessionEnd end, reader.ask(SessionEndQuery{last->pk}));
    if (!end.plan_shown) {
      MEMD_TRY_ASSIGN(const SessionDeeds deeds, reader.ask(SessionDeedsQuery{last->pk}));
      lines.add((branch.empty() || last->git_branch.empty() ? "This directory" : "Branch " + branch) +
                ", last worked on " + day_of(last->ended_at) + ": " + last->title);
      lines.add_section("Pull request: ", deeds.pull_requests, 1);
      MEMD_TRY_ASSIGN(const auto state, told_state(reader, last->pk, false));
      MEMD_TRY_ASSIGN(const auto decided, decisions_of(reader, *last));
      add_state(lines, state, decided);
      lines.add_section("Refused: ", deeds.refusals, 1);
    }
  }
  std::vector<std::string_view> worktrees{place.cwd};
  for (const SessionRow& s : list.sessions) {
    if (out.empty() || s.ended_at < now - kSiblingAge || s.git_branch.empty() || s.git_branch == branch ||
        std::ranges::find(worktrees, s.cwd) != worktrees.end() || worktrees.size() > kMostSiblings)
      continue;
    worktrees.push_back(s.cwd);
    lines.add("Meanwhile in " + s.cwd + ", branch " + s.git_branch + ", " + day_of(s.ended_at) + ": " + s.title);
  }
  MEMD_TRY_ASSIGN(const auto standing, standing_lines(reader, place, now));
  out.insert(out.end(), standing.begin(), standing.end());
  return out;
}

Result<std::vector<std::string>> standing_lines(Reader& reader, const SessionPlace& place, TimeMs now) {
  std::vector<std::string> out;
  MEMD_TRY_ASSIGN(const auto project, project_of(reader, place));
  if (!project) return out;
  Lines lines(out, kStandingTokens);
  MEMD_TRY_ASSIGN(const auto said, reader.ask(StandingLinesQuery{project->key, now - kStandingAge}));
  for (const StandingLine& line : said)
    lines.add("Said in " + std::to_string(line.sessions) + " sessions, last " + day_of(line.last).substr(0, 10) +
              ": \"" + line.text + "\" [" + format_exchange_id(line.exchange) + "]");
  return out;
}

Result<std::vector<std::string>> lines_after_compaction(Reader& reader, const SessionPlace& place) {
  std::vector<std::string> out;
  MEMD_TRY_ASSIGN(const SessionRow session, reader.ask(SessionQuery{place.session_id}));
  Lines lines(out, kCompactionTokens);
  MEMD_TRY_ASSIGN(const SessionDeeds deeds, reader.ask(SessionDeedsQuery{session.pk}));
  lines.add_section("Committed: ", deeds.commits);
  lines.add_section("Replied to comment ", deeds.replies, kMostReplies);
  lines.add_section("Works: ", deeds.forms);
  lines.add_section("Refused: ", deeds.refusals);
  MEMD_TRY_ASSIGN(const auto state, told_state(reader, session.pk, true));
  MEMD_TRY_ASSIGN(const auto decided, decisions_of(reader, session));
  add_state(lines, state, decided);
  return out;
}

Result<std::vector<std::string>> line_at_prompt(Reader& reader, const SessionPlace& place, std::string_view prompt,
                                                TimeMs now) {
  std::vector<std::string> out;
  if (prompt.size() < kShortestPrompt || prompt.starts_with('<') || prompt.starts_with('/') ||
      cues().opening(prompt, Cue::plan_told))
    return out;
  MEMD_TRY_ASSIGN(const auto project, project_of(reader, place));
  if (!project) return out;
  const auto session = reader.ask(SessionQuery{place.session_id});
  SearchQuery query;
  query.asked = search::parse_query(prompt.substr(0, kReadOfPrompt), now);
  query.filter.project = project->key;
  query.filter.include_subagents = false;
  query.now = now;
  Lines lines(out, kPromptTokens);
  const bool begins = !session || session->exchanges == 0;
  const bool refers_back = cues().has(prompt, Cue::recalls);
  if (begins || refers_back) {
    MEMD_TRY_ASSIGN(SearchAnswer found, reader.search(query));
    auto& hits = found.hits;
    std::erase_if(hits, [&](const SearchHit& hit) { return session && hit.session_uid == session->uid; });
    if (!hits.empty() && hits.front().likelihood >= (refers_back ? search::kPossible : search::kProbable)) {
      MEMD_TRY_ASSIGN(const SessionRow of, reader.ask(SessionQuery{hits.front().session_uid}));
      if (refers_back || now - hits.front().started_at <= kFresh ||
          (!place.branch.empty() && !is_trunk(place.branch) && of.git_branch == place.branch))
        lines.add(told_hit(hits.front()));
    }
  }
  if (!out.empty()) return out;
  ObservationListQuery choices;
  choices.filter.project = project->key;
  choices.type = ObservationType::decision;
  choices.limit = kChoicesRead;
  MEMD_TRY_ASSIGN(const ObservationList decided, reader.ask(choices));
  for (const ObservationRow& made : decided.observations) {
    if (!is_ruling(made) || (session && made.session_uid == session->uid)) continue;
    const search::SharedRareWordsQuery question{prompt.substr(0, kReadOfPrompt), made.observation.decision->sentence};
    MEMD_TRY_ASSIGN(const std::int64_t shared, reader.ask(question));
    if (shared < kRareWordsShared) continue;
    lines.add("Decided " + day_of(made.observation.time) + ": " + told_decision(made));
    break;
  }
  return out;
}

}  // namespace memd::admin
