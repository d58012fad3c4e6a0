#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::tools {

struct TopicSearchParams : ScopeParams {
  std::string topic;
  bool all_sessions = true;
  std::optional<std::string> session_id;
};

struct TopicSessionOut {
  std::string session_name;
  std::string platform;
  std::string summary;
  std::int64_t exchange_count = 0;
  TimeRangeOut time_range;
  std::vector<std::string> exchange_ids;
};

struct TopicSearchAnswer : Answer {
  std::string topic;
  std::int64_t sessions_found = 0;
  std::int64_t total_exchanges = 0;
  std::string chronological_summary;
  std::vector<std::pair<std::string, TopicSessionOut>> by_session;  // in order of time
};
std::string render_text(const TopicSearchAnswer& answer);

void add_topic_search(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::TopicSearchParams> {
  using T = tools::TopicSearchParams;
  static constexpr auto fields = std::tuple_cat(
      std::make_tuple(
          field("topic", &T::topic, "What the talk was about: one to five telling words.", required, length(1, 1000)),
          field("all_sessions", &T::all_sessions, "false: only session_id, or the newest session."),
          field("session_id", &T::session_id, "Only this session: id or its first characters.", length(0, 200))),
      tools::kPlatformFields, tools::kTimeFields, tools::kPageFields);
};
template <>
struct Describe<tools::TopicSessionOut> {
  using T = tools::TopicSessionOut;
  static constexpr auto fields =
      std::make_tuple(field("session_name", &T::session_name, "Title."), field("platform", &T::platform, "Agent."),
                      field("summary", &T::summary, "What was said about it, in sentences of the session."),
                      field("exchange_count", &T::exchange_count, "Exchanges about it."),
                      field("time_range", &T::time_range, "From the first to the last of them."),
                      field("exchange_ids", &T::exchange_ids, "For get_exchange, best first; at most 10."));
};
template <>
struct Describe<tools::TopicSearchAnswer> {
  using T = tools::TopicSearchAnswer;
  static constexpr auto fields = std::tuple_cat(
      std::make_tuple(field("topic", &T::topic, "As it was asked."),
                      field("sessions_found", &T::sessions_found, "Sessions that talk about it."),
                      field("total_exchanges", &T::total_exchanges, "Exchanges about it, at most the 100 best."),
                      field("chronological_summary", &T::chronological_summary, "A line per session, oldest first."),
                      field("by_session", &T::by_session, "Session id to what it says, oldest first.")),
      Describe<tools::Answer>::fields);
};

}  // namespace memd::mcp
