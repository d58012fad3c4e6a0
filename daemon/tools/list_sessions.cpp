#include "daemon/tools/list_sessions.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/usage/usage_report.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/read/projects.hpp"
#include "store/read/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memd::tools {
namespace {

constexpr std::size_t kReasonsShown = 3;  // per session

std::optional<std::string> time_if_any(TimeMs time) {
  return time == 0 ? std::nullopt : std::optional(format_rfc3339(time));
}

// nullopt: any state.
std::optional<StateFilter> state_filter(std::string_view word, TimeMs now, TimeMs stopped_after) {
  if (word == "running") return StateFilter{SessionState::active, now, stopped_after};
  if (word == "paused") return StateFilter{SessionState::capture_disabled, now, stopped_after};
  constexpr std::array<std::pair<std::string_view, Outcome>, 4> kEnds{{{"done", Outcome::success},
                                                                       {"failed", Outcome::fail},
                                                                       {"abandoned", Outcome::abandoned},
                                                                       {"ended", Outcome::unknown}}};
  for (const auto& [end, outcome] : kEnds)
    if (word == end) return StateFilter{SessionState::stopped, now, stopped_after, outcome};
  if (const auto state = parse_session_state(word)) return StateFilter{*state, now, stopped_after};
  return std::nullopt;
}

SessionOut session_out(const SessionRow& row, TimeMs now, TimeMs stopped_after) {
  SessionOut out;
  static_cast<SessionFactsOut&>(out) = session_facts(row);
  static_cast<SessionRefOut&>(out) = session_ref(row.uid, row.title, row.platform, 40);
  out.project = row.project_name;
  out.cwd = row.cwd;
  out.git_branch = row.git_branch;
  out.model = row.model;
  out.started_at = format_rfc3339(row.started_at);
  out.last_event_at = format_rfc3339(row.ended_at);
  out.ended_at = time_if_any(row.end_time(now, stopped_after));
  out.state = to_string(row.life.state(now, stopped_after));
  out.outcome = to_string(row.outcome);
  out.outcome_reasons = sign_names(row.outcome_reasons, kReasonsShown);
  out.exchanges = row.exchanges;
  out.tool_calls = row.tool_calls;
  out.tool_errors = row.tool_errors;
  out.compactions = row.compactions;
  const TokenUsage tokens = row.all_tokens();
  out.tokens_input = tokens.input;
  out.tokens_output = tokens.output;
  out.tokens_cache_read = tokens.cache_read;
  out.tokens_cache_creation = tokens.cache_creation;
  if (const auto helped = row.subagent_tokens.total(); helped > 0) out.tokens_subagents = helped;
  if (!row.parent_uid.empty()) out.parent_session_id = row.parent_uid;
  if (!row.forked_from.empty()) out.forked_from = row.forked_from;
  out.evicted_at = time_if_any(row.watermarks.evicted_at);
  return out;
}

constexpr std::int64_t kDefaultRows = 20;

UsageOut usage_out(const usage::UsageRowOut& row) {
  UsageOut out;
  out.key = row.key;
  out.tokens_input = row.input_tokens;
  out.tokens_output = row.output_tokens;
  out.tokens_cache_read = row.cache_read_tokens;
  out.tokens_cache_creation = row.cache_creation_tokens();
  out.cost_usd = row.cost_usd;
  if (row.unpriced_tokens > 0) out.unpriced_tokens = row.unpriced_tokens;
  if (row.lower_bound) out.lower_bound = true;
  return out;
}

// Answers with sums instead of sessions. Subagents are in them.
Result<ListSessionsAnswer> usage_of(const ToolServices& services, const ListSessionsParams& params, const Scope& scope,
                                    Reader& reader) {
  const auto by = parse_usage_by(*params.usage);
  if (!by)
    return Error(Errc::invalid_argument,
                 "usage: send day, week, month, block, model, \"day,model\", agent, project, branch or session");
  usage::PriceTable prices;
  if (!services.defaults.prices.empty()) MEMD_TRY(prices.add_own(services.defaults.prices));
  MEMD_TRY_ASSIGN(usage::UsageReport report, usage::usage_report(reader, {scope.filter, *by}, prices));
  if (usage::is_over_time(*by)) std::reverse(report.rows.begin(), report.rows.end());
  const auto most = static_cast<std::size_t>(params.n_results.value_or(kDefaultRows));
  if (report.rows.size() > most) report.rows.resize(most);
  const Answer frame = answer_for(scope);
  const auto build = [&](std::size_t tokens) {
    ListSessionsAnswer out;
    static_cast<Answer&>(out) = frame;
    TokenBudget budget(tokens);
    std::vector<UsageOut>& shown = out.usage.emplace();
    shown.push_back(usage_out(report.totals));
    for (const usage::UsageRowOut& row : report.rows) {
      UsageOut one = usage_out(row);
      if (!budget.take_text(mcp::to_json(one))) break;
      shown.push_back(std::move(one));
    }
    out.notice.say("Costs: computed, with prices of ", AnswerText::Id{report.prices.date}, ".");
    return out;
  };
  return fit_answer<ListSessionsAnswer>(token_limit(services, params), frame, build);
}

Result<ListSessionsAnswer> run(const ToolServices& services, const ListSessionsParams& params,
                               mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, params, {std::nullopt, {}, &context}));
  scope.filter.include_subagents = params.include_subagents;
  const auto question =
      question_key({"list_sessions", scope.key, params.include_subagents ? "1" : "0", params.state.value_or("")});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  if (params.usage) {
    scope.filter.include_subagents = true;
    return usage_of(services, params, scope, *reader);
  }
  const TimeMs now = services.clock.now();
  const TimeMs stopped_after = services.defaults.stopped_after;
  SessionListQuery query{scope.filter, static_cast<int>(params.n_results.value_or(kDefaultRows)),
                         static_cast<int>(at.offset)};
  query.state = state_filter(params.state.value_or(""), now, stopped_after);
  query.placeholders = query.state && query.state->state == SessionState::started;  // what has words has begun
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));

  ListPage<SessionOut> page{{}, at.offset, list.total, question};
  for (const SessionRow& row : list.sessions) {
    SessionOut& out = page.rows.emplace_back(session_out(row, now, stopped_after));
    MEMD_TRY_ASSIGN(std::string worktree, reader->ask(WorktreeQuery{row.pk}));
    out.worktree = unless_empty(std::move(worktree));
  }
  Answer frame = answer_for(scope);
  MEMD_TRY_ASSIGN(frame.outside, count_outside(*reader, scope, query, &SessionList::total, list.total));
  return fit_list(token_limit(services, params), frame, page, &ListSessionsAnswer::sessions);
}

}  // namespace

AnswerText render_text(const ListSessionsAnswer& a) {
  HistoryText body;
  if (a.usage) {
    for (const UsageOut& u : *a.usage) {
      body.add(u.key, ": tokens in ", u.tokens_input, " out ", u.tokens_output, " cached ", u.tokens_cache_read, "+",
               u.tokens_cache_creation);
      if (u.cost_usd)
        body.add(", ", std::string_view(u.lower_bound ? "at least " : ""), "$", fmt::format("{:.2f}", *u.cost_usd));
      if (u.unpriced_tokens) body.add(", ", *u.unpriced_tokens, " without a price");
      body.add("\n");
    }
    return AnswerText().add(answer_header(a)).quote(body).add(answer_footer(a));
  }
  for (const SessionOut& s : a.sessions) {
    body.add(s.session_id, "  ", short_time(s.started_at), " to ", short_time(s.last_event_at), "  ", s.project);
    if (s.worktree) body.add("/", *s.worktree);
    if (!s.git_branch.empty()) body.add("@", s.git_branch);
    body.add("  \"", s.session_name, "\"  ", s.cwd, "  ", s.model, "  ", counted(s.exchanges, "turn"), ", ",
             counted(s.tool_calls, "tool call"), " (", s.tool_errors, " failed), ",
             counted(s.compactions, "compaction"), ", tokens in ", s.tokens_input, " out ", s.tokens_output, " cached ",
             s.tokens_cache_read, "+", s.tokens_cache_creation);
    if (s.tokens_subagents) body.add(" (", *s.tokens_subagents, " by subagents)");
    body.add(", ");
    add_facts(body, s);
    body.add(", ", s.state);
    if (s.ended_at) body.add(" ", short_time(*s.ended_at));
    body.add(", ", s.outcome);
    if (!s.outcome_reasons.empty()) body.add(" (", joined(s.outcome_reasons), ")");
    if (s.evicted_at) body.add(", its texts were dropped ", short_time(*s.evicted_at));
    if (s.description) body.add(", about: ", *s.description);
    if (s.parent_session_id) body.add(", started by ", *s.parent_session_id);
    if (s.forked_from) body.add(", a fork of ", *s.forked_from);
    body.add("\n");
  }
  return AnswerText()
      .add(answer_header(a), a.sessions.size(), " of ", counted_words(a.total, "session"), ", newest first.\n")
      .quote(body)
      .add(answer_footer(a));
}

void add_list_sessions(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "list_sessions";
  info.title = "List past sessions";
  info.description =
      "List past sessions of all agents, newest first: id, title, project, branch, "
      "state, outcome, tokens.";
  info.search_words = "list all my past previous sessions conversations chats what worked on tokens cost usage";
  registry.add<ListSessionsParams, ListSessionsAnswer>(
      std::move(info), [services](const ListSessionsParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
