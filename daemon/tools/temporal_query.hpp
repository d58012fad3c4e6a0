#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::tools {

struct TemporalQueryParams : ScopeParams {
  std::string from;  // `since`, required here
};

struct TemporalSessionOut : SessionRefOut {
  std::string project;
  std::int64_t exchange_count = 0;
  TimeRangeOut time_range;
  std::string first_exchange_id;
};

struct AskedRangeOut {
  std::string since;
  std::string until;
};

// The work of one session on one day, for the text form. `line` is also the line of the summary; the text form adds
// counts, project and session id to it.
struct DayEntry {
  std::string day;          // "2026-02-09"
  std::size_t session = 0;  // index into the sessions of the answer
  std::int64_t exchanges = 0;
  std::string line;   // "- 06:01 to 06:40 "Title", x42"
  std::string story;  // lines; may be empty
};

struct TemporalQueryAnswer : Answer {
  std::vector<DayEntry> entries;  // for the text form only
  std::optional<std::string> last_active_day;
  std::optional<std::string> next_active_day;
  std::string summary;
  std::int64_t total_exchanges = 0;
  std::int64_t total_sessions = 0;
  AskedRangeOut time_range;
  std::vector<std::pair<std::string, std::int64_t>> platform_breakdown;
  std::vector<TemporalSessionOut> sessions;
};
AnswerText render_text(const TemporalQueryAnswer& answer);

void add_temporal_query(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::TemporalQueryParams,
              field("since", &T::from, "2026-02-09, 24h, yesterday, \"2 weeks ago\".", required, length(1, 60)),
              mcp::field_at<1>(tools::kTimeFields), tools::kDirectoryFields, tools::kPlatformFields,
              tools::kPageFields);
MEMD_DESCRIBE(memd::tools::TemporalSessionOut, plain<&T::session_id, &T::session_name, &T::platform, &T::project>(),
              field<&T::exchange_count>("Its turns in this time, of this page."),
              field<&T::time_range>("From the first to the last of them."),
              field<&T::first_exchange_id>("For get_exchange."));
MEMD_DESCRIBE(memd::tools::AskedRangeOut, field<&T::since>("RFC 3339."), field<&T::until>("RFC 3339."));
MEMD_DESCRIBE_ANSWER(
    memd::tools::TemporalQueryAnswer, field<&T::summary>("Day by day, session by session, in order of time."),
    field<&T::total_exchanges>("In this time, all pages."), field<&T::total_sessions>("In this time, all pages."),
    field<&T::time_range>("What was asked for."), field<&T::platform_breakdown>("Turns of each agent."),
    field<&T::sessions>("Each once, in order of time."),
    field<&T::last_active_day>("When there is nothing in this time: the day before it that has something."),
    field<&T::next_active_day>("The same after it."));
