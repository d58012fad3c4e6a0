#include "daemon/tools/recent_turns.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/summary_source.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "store/read/exchanges.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace memd::tools {
namespace {

TurnOut turn_of(const ExchangeRow& row, std::int64_t tokens) {
  TurnOut out;
  static_cast<TurnRefOut&>(out) = turn_ref(row);
  out.exchange_number = row.number;
  out.tool_calls = row.tool_calls;
  out.est_tokens = tokens;
  return out;
}

// Returns the newest turns that fit, oldest first. `known` caches the turn of each row for the next call.
std::vector<TurnOut> list_turns(const std::vector<ExchangeRow>& rows, SummarySource& source,
                                std::vector<std::optional<TurnOut>>& known, std::size_t tokens, std::size_t& used) {
  // Shorter texts of questions let more turns fit.
  constexpr std::size_t kFixedTokens = 55;
  const std::size_t each = tokens / std::max<std::size_t>(rows.size(), 1);
  const std::size_t message_tokens = std::clamp<std::size_t>(each - std::min(each, kFixedTokens), 6, 30);
  TokenBudget budget(tokens);
  std::vector<TurnOut> turns;
  for (std::size_t i = rows.size(); i-- > 0;) {
    if (!known[i]) known[i] = turn_of(rows[i], source.count_row(i, rows[i]));
    TurnOut turn = *known[i];
    turn.user_message = short_line(std::string_view(rows[i].user_message).substr(0, 1000), message_tokens);
    if (!budget.take_text(mcp::to_json(turn)) && !turns.empty()) break;
    turns.push_back(std::move(turn));
  }
  used = budget.used();
  return {std::make_move_iterator(turns.rbegin()), std::make_move_iterator(turns.rend())};
}

Result<std::vector<std::vector<std::string>>> files_modified(Reader& reader, const std::vector<ExchangeRow>& rows) {
  std::vector<std::vector<std::string>> out;
  for (const ExchangeRow& row : rows) {
    MEMD_TRY_ASSIGN(const auto files, reader.ask(ExchangeFilesQuery{row.session_pk, row.number}));
    out.emplace_back();
    for (const ExchangeFile& f : files)
      if (f.access == FileAccess::modified) out.back().push_back(f.path);
  }
  return out;
}

// The session of another machine's exchange.
SessionRow session_of(const ExchangeRow& exchange) {
  SessionRow out;
  out.uid = exchange.session_uid;
  out.platform = exchange.platform;
  out.title = exchange.session_title;
  out.project_name = exchange.project;
  return out;
}

Result<RecentTurnsAnswer> run(const ToolServices& services, const RecentTurnsParams& params,
                              mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const ProjectsAsked projects, newest_asked_for(services, params, params.session_id, context));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  auto known = session_asked_for(services, *reader, projects, params.session_id);
  std::vector<ExchangeRow> of_others;
  if (!known && services.team != nullptr && params.session_id) {
    const auto page = decode_cursor(params.cursor, question_key({"recent_turns", *params.session_id}));
    const std::int64_t before = page && page->part > 0 ? page->part - 1 : std::numeric_limits<std::int32_t>::max();
    of_others = services.team->turns(*reader, *params.session_id, before, static_cast<int>(params.n_turns));
    if (!of_others.empty()) known = session_of(of_others.front());
  }
  MEMD_TRY_ASSIGN(const SessionRow session, known);
  const auto question = question_key({"recent_turns", session.uid});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));

  MEMD_TRY_ASSIGN(const Scope scope, scope_of(services, session, Capability::exchange_retrieval));

  // PageCursor::part is 1 + the number of the exchange before which the page ends; 0: the end of the session. New
  // exchanges do not shift it.
  std::vector<ExchangeRow> rows;
  if (!scope.includes(session.platform)) {
    // nothing: platforms_skipped says why
  } else if (session.pk == 0) {
    rows = std::move(of_others);
  } else if (at.part == 0) {
    MEMD_TRY_ASSIGN(rows, reader->ask(LastExchangesQuery{session.pk, static_cast<int>(params.n_turns)}));
  } else {
    const std::int64_t end = at.part - 1;
    MEMD_TRY_ASSIGN(
        rows, reader->ask(ExchangeRangeQuery{session.pk, std::max<std::int64_t>(end - params.n_turns, 0), end - 1}));
  }

  Answer frame = answer_for(scope);
  frame.searched = unless_empty(projects.words);
  lead_with(frame, projects.lead);
  tell_evicted(frame.notice, std::ranges::count_if(rows, &ExchangeRow::is_evicted));
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(frame));
  MEMD_TRY_ASSIGN(const auto modified, files_modified(*reader, rows));
  SummarySource source(rows, modified);
  std::vector<std::optional<TurnOut>> listed(rows.size());
  std::map<std::size_t, Extract> extracts;  // by index of the first row summarised
  return fit_answer<RecentTurnsAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    RecentTurnsAnswer out;
    static_cast<Answer&>(out) = frame;
    static_cast<SessionRefOut&>(out) = session_ref(session.uid, session.title, session.platform, 40);
    out.data_completeness = to_string(least_complete(rows));
    out.time_range = to_out(range_of(rows));
    const std::size_t head = estimate_tokens(mcp::to_json(out)) - frame_tokens;
    const std::size_t rest = tokens - std::min(tokens, head);
    std::size_t used = 0;
    out.turns = list_turns(rows, source, listed, rest / 2, used);
    // The summary covers exactly the listed turns, so that paging neither skips nor repeats one.
    const std::size_t first = rows.size() - out.turns.size();
    const auto inputs = source.inputs().subspan(first);
    const std::size_t for_summary = rest - std::min(rest, used);
    const ExtractiveSummary told =
        extracts.try_emplace(first, inputs)
            .first->second.summary(params.style == "brief" ? kBriefRatio : kDetailedRatio, for_summary);
    out.summary = told.text;
    out.source_tokens = static_cast<std::int64_t>(told.source_tokens);
    if (told.capped) out.notice.say("max_tokens, not the style, limits the summary.");
    if (out.summary.empty() && !rows.empty())
      out.summary = cut_to_tokens(summary_without_texts(session, rows), for_summary).text;
    out.summary_tokens = static_cast<std::int64_t>(estimate_tokens(out.summary));
    out.exchanges_summarized = static_cast<std::int64_t>(out.turns.size());
    out.time_range = to_out(range_of(std::span(rows).subspan(first)));
    if (!rows.empty() && rows[first].number > 0) out.next = encode_cursor({0, rows[first].number + 1}, question);
    return out;
  });
}

}  // namespace

AnswerText render_text(const RecentTurnsAnswer& a) {
  using Id = AnswerText::Id;
  using Time = AnswerText::Time;
  AnswerText out;
  out.add(answer_header(a), "Last ", counted_words(a.exchanges_summarized, "turn"), " of session ", Id{a.session_id},
          " (", Id{a.platform}, ", data ", Id{a.data_completeness}, "), ", Time{a.time_range.start}, " to ",
          Time{a.time_range.end}, ".\n");
  out.add("Summary: ");
  add_share(out, a.summary_tokens, a.source_tokens);
  out.add(".\n");
  HistoryText body;
  body.add("Session: ", a.session_name, "\n\n", HistoryText::Whole{a.summary}, "\n\nTurns:\n");
  for (const TurnOut& t : a.turns) {
    body.add(t.exchange_id, "  #", t.exchange_number, "  ", short_time(t.timestamp));
    if (t.abandoned_for) add_abandoned(body, *t.abandoned_for);
    body.add("  ~", counted(t.est_tokens, "token"), ", ", counted(t.tool_calls, "tool call"), "  ", t.user_message,
             "\n");
  }
  out.quote(body);
  if (!a.turns.empty()) out.add("Full text: get_exchange(ids=[\"", Id{a.turns.back().exchange_id}, "\"]).\n");
  return out.add(answer_footer(a));
}

void add_recent_turns(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "recent_turns";
  info.title = "The last turns of a conversation";
  info.description =
      "What was said last, just now or before a restart: the most recent turns of a conversation that we had, "
      "ids and a summary. To go on working where you or another agent stopped, call resume_context instead.";
  info.search_words = "last previous messages chat transcript just now before restart discussing";
  registry.add<RecentTurnsParams, RecentTurnsAnswer>(
      std::move(info), [services](const RecentTurnsParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
