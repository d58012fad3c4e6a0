#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct RecentTurnsParams : SessionParams {
  std::int64_t n_turns = 10;
  std::string style = "detailed";
};

struct TurnOut {
  std::string exchange_id;
  std::int64_t exchange_number = 0;
  std::optional<std::string> abandoned_for;
  std::string timestamp;
  std::string user_message;
  std::int64_t tool_calls = 0;
  std::int64_t est_tokens = 0;
};

struct RecentTurnsAnswer : Answer {
  std::string session_id;
  std::string session_name;
  std::string platform;
  std::string data_completeness;
  std::int64_t exchanges_summarized = 0;
  TimeRangeOut time_range;
  std::string summary;
  std::int64_t source_tokens = 0;
  std::int64_t summary_tokens = 0;
  std::vector<TurnOut> turns;
};
AnswerText render_text(const RecentTurnsAnswer& answer);

void add_recent_turns(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::RecentTurnsParams> {
  using T = tools::RecentTurnsParams;
  static constexpr auto fields = join_fields(
      tools::kSessionFields,
      fields_of(field("n_turns", &T::n_turns, "", clamped(1, 100)),
                field("style", &T::style, "Summary of 30% or 10% of the text.", one_of("detailed", "brief"))),
      tools::kPageFields);
};
template <>
struct Describe<tools::TurnOut> {
  using T = tools::TurnOut;
  static constexpr auto fields =
      fields_of(field("exchange_id", &T::exchange_id, "For get_exchange."),
                field("exchange_number", &T::exchange_number, "Position in the session, from 0."),
                field("abandoned_for", &T::abandoned_for, tools::kAbandonedFor),
                field("timestamp", &T::timestamp, "When it began, RFC 3339."),
                field("user_message", &T::user_message, "Beginning of what was asked."),
                field("tool_calls", &T::tool_calls, "Tools the agent called."),
                field("est_tokens", &T::est_tokens, "Tokens of the full text."));
};
template <>
struct Describe<tools::RecentTurnsAnswer> {
  using T = tools::RecentTurnsAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(field("session_id", &T::session_id, "Session."), field("session_name", &T::session_name, "Title."),
                field("platform", &T::platform, "Agent."),
                field("data_completeness", &T::data_completeness, "full, partial, metadata_only or unknown."),
                field("exchanges_summarized", &T::exchanges_summarized, "Exchanges the summary is made of."),
                field("time_range", &T::time_range, "From the first to the last of them."),
                field("summary", &T::summary, "Sentences taken from them, in order."),
                field("source_tokens", &T::source_tokens, "Tokens of their texts."),
                field("summary_tokens", &T::summary_tokens, "Tokens of the summary."),
                field("turns", &T::turns, "The exchanges themselves, oldest first.")),
      Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
