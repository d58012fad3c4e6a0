#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <vector>

namespace memd::tools {

struct RecentTurnsParams : SessionParams {
  std::int64_t n_turns = 10;
  std::string style = "detailed";
};

struct TurnOut : TurnRefOut {
  std::int64_t exchange_number = 0;
  std::string user_message;
  std::int64_t tool_calls = 0;
  std::int64_t est_tokens = 0;
};

struct RecentTurnsAnswer : Answer, SessionRefOut, SummaryOut {
  std::int64_t exchanges_summarized = 0;
  std::vector<TurnOut> turns;
};
AnswerText render_text(const RecentTurnsAnswer& answer);

void add_recent_turns(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::RecentTurnsParams, tools::kSessionFields, field<&T::n_turns>(clamped(1, 100)),
              field<&T::style>("Summary of 30% or 10% of the text.", one_of("detailed", "brief")), tools::kPageFields);
MEMD_DESCRIBE(memd::tools::TurnOut, field<&T::exchange_id>("For get_exchange."),
              field<&T::exchange_number>("Position in the session, from 0."),
              field<&T::abandoned_for>(tools::kAbandonedFor), field<&T::timestamp>("When it began, RFC 3339."),
              field<&T::user_message>("Beginning of what was asked."), field<&T::tool_calls>(),
              field<&T::est_tokens>("Tokens of the full text."));
MEMD_DESCRIBE_ANSWER(memd::tools::RecentTurnsAnswer, plain<&T::session_id, &T::session_name, &T::platform>(),
                     field<&T::data_completeness>("full, partial, metadata_only or unknown."),
                     field<&T::exchanges_summarized>("Turns the summary is made of."),
                     field<&T::time_range>("From the first to the last of them."),
                     field<&T::summary>("Sentences taken from them, in order."),
                     plain<&T::source_tokens, &T::summary_tokens>(),
                     field<&T::turns>("The turns themselves, oldest first."));
