#include "daemon/tools/project_summary.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/exchange_name.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/read/projects.hpp"
#include "store/report/report.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memd::tools {
namespace {

constexpr int kNewestSessions = 30;
constexpr int kMostTopics = 8;
constexpr int kFiles = 12;
constexpr int kDecisionsRead = 200;
constexpr std::size_t kMostOpen = 8;
constexpr std::size_t kMostDecisions = 12;

Result<std::string> project_asked_for(const ToolServices& services, const SessionSummaryParams& params,
                                      const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(std::string here, project_of_directory(services, caller_directory(params, context)));
  if (const std::string named = params.project.value_or(""); !named.empty()) {
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
    MEMD_TRY_ASSIGN(const KnownProjectRow row, reader->ask(FindProjectQuery{named, here}));
    return project_tree(row.joined_to.empty() ? row.key : row.joined_to);
  }
  if (here.empty()) return Error(Errc::not_found, "project: your directory is of none with history, name one");
  return here;
}

// Returns "12 sessions, 140 turns.\nClaude Code: 9 days, 120 turns, 2026-01-10 to 2026-02-13\n…".
std::string who_worked_when(const Report& figures) {
  struct Share {
    std::int64_t days = 0;
    std::int64_t turns = 0;
    TimeMs first = 0;
    TimeMs last = 0;
  };
  std::map<Platform, Share> shares;
  for (const DayActivity& day : figures.activity) {
    if (day.day == 0) continue;
    Share& share = shares[day.platform];
    if (share.days++ == 0) share.first = day.day;
    share.last = day.day;
    share.turns += day.exchanges;
  }
  const auto date = [](TimeMs day) { return format_rfc3339(day).substr(0, 10); };
  std::string out = counted(figures.sessions, "session") + ", " + counted(figures.exchanges, "turn");
  if (figures.test_runs > 0)
    out += fmt::format(", {}, {} failed", counted(figures.test_runs, "test run"), figures.test_failures);
  out += ".";
  for (const auto& [platform, share] : shares)
    out += fmt::format("\n{}: {}, {}, {} to {}", name_of(platform), counted(share.days, "day"),
                       counted(share.turns, "turn"), date(share.first), date(share.last));
  return out;
}

SummaryChunkOut newest_session(const ReportSession& s, std::int64_t place, const std::string& last) {
  constexpr std::size_t kTokensOfTitle = 30;
  SummaryChunkOut out;
  out.chunk = place;
  out.first_exchange_id = s.turns.empty() ? last : format_exchange_id(s.turns.front().id);
  out.last_exchange_id = last;
  out.exchange_count = s.session.exchanges;
  out.time_range = to_out({s.session.started_at, s.session.ended_at});
  out.summary = short_line(s.session.title, kTokensOfTitle);
  out.session_id = s.session.uid;
  return out;
}

bool is_open(const SessionRow& s) { return s.outcome == Outcome::fail || s.outcome == Outcome::abandoned; }

using TeamFindings = TeamAsker::Answers<team::TeamFinding>;

DecisionOut decision_of_other(const team::TeamFinding& found) {
  DecisionOut out;
  out.text = found.who + ": " + found.content;
  out.exchange_id = format_exchange_name(found.session_uid, found.number);
  return out;
}

// The latest first. `others`: decisions of other machines, in the same order.
Result<std::vector<DecisionOut>> decisions_of(Reader& reader, const QueryFilter& filter, const TeamFindings& others) {
  MEMD_TRY_ASSIGN(const ObservationList all,
                  reader.ask(ObservationListQuery{filter, ObservationType::decision, kDecisionsRead}));
  std::vector<DecisionOut> out;
  auto other = others.rows.begin();
  const auto add_others_since = [&](TimeMs time) {
    for (; other != others.rows.end() && other->second.started_at >= time; ++other)
      out.push_back(decision_of_other(other->second));
  };
  for (const ObservationRow& row : all.observations) {
    DecisionOut one = decision_out(row.observation, row.reversed_by);
    if (one.reversed_by) continue;
    add_others_since(row.observation.time);
    if (row.exchange_id != 0) one.exchange_id = format_exchange_id(row.exchange_id);
    out.push_back(std::move(one));
  }
  add_others_since(0);
  return out;
}

Result<SessionSummaryAnswer> read_project(Reader& reader, const QueryFilter& filter, const TeamFindings& others) {
  ReportQuery query;
  query.filter = filter;
  query.detailed_sessions = kNewestSessions;
  query.topics = kMostTopics;
  query.files = kFiles;
  MEMD_TRY_ASSIGN(const Report figures, reader.ask(query));
  if (figures.newest.empty()) return Error(Errc::not_found, "project: it has no session yet");
  SessionSummaryAnswer out;
  out.project = figures.newest.front().session.project_key;
  out.session_name = figures.newest.front().session.project_name;
  out.outcome = "unknown";
  out.data_completeness = "unknown";
  out.time_range = to_out(figures.span);
  out.total_exchanges = figures.exchanges;
  out.summary = who_worked_when(figures);
  out.summary_tokens = static_cast<std::int64_t>(estimate_tokens(out.summary));
  out.source_tokens = out.summary_tokens;
  out.chunks_total = figures.sessions;
  out.files_modified_total = figures.files_total;
  out.provenance.strategy = "hierarchical";
  out.provenance.inputs = counted(figures.sessions, "session");
  for (const TopicCount& topic : figures.topics)
    out.topics.push_back(topic.topic);
  for (const FileActivity& file : figures.files)
    if (file.edits > 0) out.files_modified.push_back({file.path, {}, file.lines_added, file.lines_removed});
  for (const ReportSession& s : figures.newest) {
    if (s.session.kind != SessionKind::main) continue;
    MEMD_TRY_ASSIGN(const auto turns, reader.ask(LastExchangesQuery{s.session.pk, 1}));
    const std::string last = turns.empty() ? std::string() : format_exchange_id(turns.back().id);
    out.chunks.push_back(newest_session(s, std::ssize(out.chunks), last));
    if (!is_open(s.session) || out.open_ends.size() >= kMostOpen) continue;
    constexpr std::size_t kTokensOfTitle = 24;
    constexpr std::size_t kSigns = 3;
    std::string signs = joined(sign_names(s.session.outcome_reasons, kSigns));
    std::ranges::replace(signs, '_', ' ');
    out.open_ends.push_back({last, fmt::format("{}: {} ({})", short_line(s.session.title, kTokensOfTitle),
                                               s.session.outcome == Outcome::fail ? "failed" : "abandoned", signs)});
  }
  MEMD_TRY_ASSIGN(out.key_decisions, decisions_of(reader, filter, others));
  out.key_decisions_total = std::ssize(out.key_decisions);
  out.key_decisions.resize(std::min(out.key_decisions.size(), kMostDecisions));
  return out;
}

// Keeps the first items that fit into `share` of the rest, at most.
template <class T>
void keep_fitting(std::vector<T>& items, TokenBudget& budget, std::size_t share) {
  TokenBudget part(budget.remaining() / share);
  std::size_t kept = 0;
  const auto text_of = [](const T& item) {
    if constexpr (std::is_same_v<T, std::string>)
      return item;
    else
      return mcp::to_json(item);
  };
  while (kept < items.size() && part.take_text(text_of(items[kept])))
    ++kept;
  items.resize(kept);
  budget.take(part.used());
}

}  // namespace

Result<SessionSummaryAnswer> summarize_project(const ToolServices& services, const SessionSummaryParams& params,
                                               const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(std::string project, project_asked_for(services, params, context));
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, params, {Capability::session_summary, {}, nullptr}));
  scope.filter.project = std::move(project);
  scope.unknown_project.clear();
  scope.words = {};
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  TeamFindings others;
  if (services.team != nullptr)
    others = services.team->answers(
        *reader, services.team->ask_for_observations(*reader, scope, std::string(to_string(ObservationType::decision)),
                                                     kDecisionsRead));
  MEMD_TRY_ASSIGN(const SessionSummaryAnswer whole, read_project(*reader, scope.filter, others));
  Answer frame = answer_for(scope);
  lead_with(frame, others.left_out);
  const auto build = [&](std::size_t tokens) {
    SessionSummaryAnswer out = whole;
    static_cast<Answer&>(out) = frame;
    TokenBudget budget(tokens);
    budget.take_text(whole.summary);
    keep_fitting(out.topics, budget, 1);
    keep_fitting(out.open_ends, budget, 4);
    keep_fitting(out.key_decisions, budget, 3);
    keep_fitting(out.files_modified, budget, 4);
    keep_fitting(out.chunks, budget, 1);
    return out;
  };
  return fit_answer<SessionSummaryAnswer>(token_limit(services, params), frame, build);
}

}  // namespace memd::tools
