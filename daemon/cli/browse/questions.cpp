#include "daemon/cli/browse/questions.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/cli/pages.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "daemon/tools/tool_arguments.hpp"
#include "schemas/base/error.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace memd::cli::browse {
namespace {

using tools::ToolArguments;

template <class T>
Result<Answer> as_answer(Result<T> answer) {
  if (!answer) return answer.error();
  return Answer(std::move(*answer));
}

Result<Answer> ask(const ListQuestion& q, Caller& caller) {
  constexpr std::int64_t kSessions = 100;
  constexpr std::int64_t kHits = 30;
  ToolArguments w;
  w.add("platform", q.filters.platform).add("project", q.filters.project).add("since", q.filters.since);
  w.add_flag("all_projects", true).add("cursor", q.cursor);
  w.add("n_results", std::optional(q.query.empty() ? kSessions : kHits));
  if (q.query.empty())
    return as_answer(
        ask_history<tools::ListSessionsAnswer>(caller, "list_sessions", w.add("state", q.filters.state).finish()));
  return as_answer(
      ask_history<tools::SemanticSearchAnswer>(caller, "semantic_search", w.add("query", q.query).finish()));
}

Result<tools::GetExchangeAnswer> exchanges(Caller& caller, const std::function<ToolArguments&(ToolArguments&)>& which) {
  return collect(caller, exchange_pages(), {}, [&](const PageWanted& page) {
    ToolArguments w;
    return which(w).add("cursor", page.cursor).finish();
  });
}

Result<Answer> ask(const ExchangeQuestion& q, Caller& caller) {
  return as_answer(exchanges(caller, [&q](ToolArguments& w) -> ToolArguments& {
    return w.add_list("ids", {q.id}).add_flag("include_tools", q.tools);
  }));
}

Result<Answer> ask(const SessionQuestion& q, Caller& caller) {
  constexpr std::int64_t kAround = 5;  // number of exchanges that the tool returns on either side
  ToolArguments turns;
  turns.add("session_id", q.session).add("n_turns", std::optional(std::int64_t{1})).add("style", std::string("brief"));
  MEMD_TRY_ASSIGN(const auto newest, ask_history<tools::RecentTurnsAnswer>(caller, "recent_turns", turns.finish()));
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
  MEMD_TRY_ASSIGN(out.exchanges, exchanges(caller, [&](ToolArguments& w) -> ToolArguments& {
                    w.add("session_id", newest.session_id).add("exchange_number", std::optional((first + last) / 2));
                    return w.add("around", std::optional(kAround)).add_flag("include_tools", q.tools);
                  }));
  std::erase_if(out.exchanges.exchanges,
                [&](const tools::ExchangeOut& e) { return e.exchange_number < first || e.exchange_number > last; });
  return Answer(std::move(out));
}

Result<Answer> ask(const MemoryQuestion& q, Caller& caller) {
  return as_answer(
      ask_history<tools::MemoryReadAnswer>(caller, "memory_read", ToolArguments().add("slug", q.slug).finish()));
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
