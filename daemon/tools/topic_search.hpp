#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/found_memories.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::tools {

struct TopicSearchParams : ScopeParams {
  std::optional<std::string> topic;
  std::vector<std::string> also;
  bool all_sessions = true;
  std::optional<std::string> session_id;
  std::optional<std::string> observation;
  std::optional<std::string> kind;  // its former name; see asked_observation()
};

struct TopicSessionOut {
  std::string session_name;
  std::string platform;
  std::string turn;
  std::string what_was_new;
  std::string summary;
  std::int64_t exchange_count = 0;
  TimeRangeOut time_range;
  std::vector<std::string> exchange_ids;
  std::optional<std::vector<DecisionOut>> decisions;
};

struct TopicOut {
  std::string topic;
  std::int64_t exchanges = 0;
  std::int64_t sessions = 0;
  TimeRangeOut time_range;
};

struct TopicSearchAnswer : Answer {
  std::string topic;
  std::int64_t sessions_found = 0;
  std::int64_t total_exchanges = 0;
  std::optional<TimeRangeOut> time_range;
  std::optional<DecisionOut> latest_decision;
  std::string evolution;
  std::string chronological_summary;
  std::vector<std::pair<std::string, TopicSessionOut>> by_session;  // in order of time
  std::optional<std::vector<std::string>> known_as;
  std::optional<std::vector<std::string>> related_topics;
  std::optional<std::vector<TopicOut>> topics;
  std::optional<std::int64_t> topics_found;
  std::optional<std::vector<FoundMemoryOut>> memories;
};
AnswerText render_text(const TopicSearchAnswer& answer);

void add_topic_search(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::TopicSearchParams, field<&T::topic>("One to five telling words.", length(0, 1000)),
              field<&T::also>("Other names of it.", max_items(4), length(1, 200)), tools::kDirectoryFields,
              tools::kPlatformFields, tools::kTimeFields, field<&T::session_id>(length(0, 200)),
              field<&T::all_sessions>("false: only session_id or the newest session."),
              field<&T::observation>(one_of(tools::kObservationChoices), choices_unlisted),
              field<&T::kind>(one_of(tools::kObservationChoices), unlisted), tools::kPageFields);
MEMD_DESCRIBE(
    memd::tools::TopicSessionOut, plain<&T::session_name, &T::platform>(),
    field<&T::turn>(
        "What this session brought: mention, question, problem, change, fix, direction or reversal; by the wording."),
    field<&T::what_was_new>("The sentence that says it, new against the sessions before."),
    field<&T::summary>("What was said about it, in sentences of the session."),
    field<&T::exchange_count>("Turns about it."), field<&T::time_range>("From the first to the last of them."),
    field<&T::exchange_ids>("For get_exchange, best first; at most 10."),
    field<&T::decisions>("What was settled in them, in order of time; at most 4."));
MEMD_DESCRIBE(memd::tools::TopicOut, field<&T::topic>("Send it as topic."), field<&T::exchanges>("Turns about it."),
              field<&T::sessions>(), field<&T::time_range>("From the first to the last of them."));
MEMD_DESCRIBE_ANSWER(memd::tools::TopicSearchAnswer, field<&T::topic>("As it was asked."),
                     field<&T::sessions_found>("Sessions that talk about it."),
                     field<&T::total_exchanges>("Turns about it; of many, the best."),
                     field<&T::time_range>("From the first to the last of them."),
                     field<&T::latest_decision>("The last thing settled about it."),
                     field<&T::evolution>("How it went on, from the first session to the last."),
                     field<&T::chronological_summary>("A line per session, oldest first."),
                     field<&T::by_session>("Session id to what it says, oldest first."),
                     field<&T::known_as>("Stored topics that are this one."),
                     field<&T::related_topics>("What else these turns are about, nearest first."),
                     field<&T::topics>("When no topic was asked for: what was discussed most."),
                     field<&T::topics_found>("How many topics there are to list."),
                     field<&T::memories>("Files that people own and that are about it, best first."));
