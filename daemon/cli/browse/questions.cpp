#include "daemon/cli/browse/questions.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/cli/pages.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "schemas/base/error.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <optional>

namespace memd::cli::browse {
namespace {

template <class T>
Result<Answer> as_answer(Result<T> answer) {
  if (!answer) return answer.error();
  return Answer(std::move(*answer));
}

Result<Answer> ask(const ListQuestion& q, Caller& caller) {
  constexpr std::int64_t kSessions = 100;
  constexpr std::int64_t kHits = 30;
  const auto filtered = [&q](auto params) {
    params.platform = q.filters.platform;
    params.project = q.filters.project;
    params.since = q.filters.since;
    params.all_projects = true;
    params.cursor = q.cursor;
    return mcp::to_arguments(params);
  };
  if (q.query.empty()) {
    tools::ListSessionsParams sessions;
    sessions.n_results = kSessions;
    sessions.state = q.filters.state;
    return as_answer(ask_history<tools::ListSessionsAnswer>(caller, "list_sessions", filtered(sessions)));
  }
  tools::SemanticSearchParams hits;
  hits.n_results = kHits;
  hits.query = q.query;
  return as_answer(ask_history<tools::SemanticSearchAnswer>(caller, "semantic_search", filtered(hits)));
}

Result<Answer> ask(const ExchangeQuestion& q, Caller& caller) {
  tools::GetExchangeParams turn;
  turn.ids = {q.id};
  turn.include_tools = q.tools;
  return as_answer(collect(caller, exchange_pages(), {}, pages_of(turn)));
}

Result<Answer> ask(const SessionQuestion& q, Caller& caller) {
  constexpr std::int64_t kAround = 5;  // number of exchanges that the tool returns on either side
  tools::RecentTurnsParams last_turn;
  last_turn.session_id = q.session;
  last_turn.n_turns = 1;
  last_turn.style = "brief";
  MEMD_TRY_ASSIGN(const auto newest,
                  ask_history<tools::RecentTurnsAnswer>(caller, "recent_turns", mcp::to_arguments(last_turn)));
  SessionPart out;
  out.title = newest.session_name;
  if (newest.turns.empty()) return Answer(std::move(out));
  out.last_number = newest.turns.back().exchange_number;
  std::int64_t first = q.number;
  std::int64_t last = out.last_number;
  if (q.way == SessionQuestion::Way::last) first = last - 2 * kAround;
  if (q.way == SessionQuestion::Way::before) {
    last = std::min(last, q.number - 1);
    first = last - 2 * kAround;
  }
  first = std::clamp<std::int64_t>(first, 0, out.last_number);
  last = std::min(last, first + 2 * kAround);
  tools::GetExchangeParams turns;
  turns.session_id = newest.session_id;
  turns.exchange_number = (first + last) / 2;
  turns.around = kAround;
  turns.include_tools = q.tools;
  MEMD_TRY_ASSIGN(out.exchanges, collect(caller, exchange_pages(), {}, pages_of(turns)));
  std::erase_if(out.exchanges.exchanges,
                [&](const tools::ExchangeOut& e) { return e.exchange_number < first || e.exchange_number > last; });
  return Answer(std::move(out));
}

Result<Answer> ask(const MemoryQuestion& q, Caller& caller) {
  tools::MemoryReadParams memory;
  memory.slug = q.slug;
  return as_answer(ask_history<tools::MemoryReadAnswer>(caller, "memory_read", mcp::to_arguments(memory)));
}

}  // namespace

Result<Answer> answer_to(const Question& question, Caller& caller, const Settings& settings) {
  if (const auto* reopen = std::get_if<ReopenQuestion>(&question)) {
    Reader reader(settings.layout.database());
    return as_answer(reopening_of(reader, reopen->session));
  }
  return std::visit(
      [&](const auto& q) -> Result<Answer> {
        if constexpr (std::is_same_v<std::decay_t<decltype(q)>, ReopenQuestion>)
          return Error(Errc::unsupported, "not a question about history");
        else
          return ask(q, caller);
      },
      question);
}

}  // namespace memd::cli::browse
