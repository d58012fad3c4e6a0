#include "daemon/tools/temporal_query.hpp"

#include "daemon/tools/answer.hpp"
#include "schemas/harmless.hpp"
#include "schemas/time.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/read/timeline.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

std::string title_of(const DaySlice& slice) { return short_line(slice.session_title, 24); }

std::string clock_time(TimeMs t) { return format_local_minute(t).substr(11, 5); }

// Both may end in "…". The title of a session without a name is the beginning of its first prompt.
bool is_beginning_of(std::string_view text, std::string_view title) {
  constexpr std::string_view kMark = "…";
  if (text.ends_with(kMark)) text.remove_suffix(kMark.size());
  return title.starts_with(text);
}

// What was asked and what came of it, at most `gist_bytes` each.
std::string story_of(const DaySlice& slice, std::size_t gist_bytes) {
  const std::string asked = request_gist(slice.first_request, gist_bytes);
  const std::string then =
      slice.last_exchange == slice.first_exchange ? "" : request_gist(slice.last_request, gist_bytes);
  const std::string ended = result_gist(slice.last_answer, gist_bytes);
  std::string out;
  if (!asked.empty() && !is_beginning_of(asked, title_of(slice))) out += "  asked: " + asked + "\n";
  if (!then.empty() && then != asked) out += "  at last: " + then + "\n";
  if (!ended.empty()) out += "  ended: " + ended + "\n";
  return out;
}

std::string narrative(const DaySlice& slice, std::size_t gist_bytes) {
  return "- " + clock_time(slice.range.start) + " to " + clock_time(slice.range.end) + " \"" + title_of(slice) + "\"" +
         (slice.project.empty() ? "" : " in " + harmless_line(slice.project)) + ": " +
         counted(slice.exchange_count, "exchange") + " from " + format_exchange_id(slice.first_exchange) + "\n" +
         story_of(slice, gist_bytes);
}

TemporalSessionOut session_of(const DaySlice& slice) {
  return {slice.session_uid,    title_of(slice),     std::string(to_string(slice.platform)),  slice.project,
          slice.exchange_count, to_out(slice.range), format_exchange_id(slice.first_exchange)};
}

// Adds the slices that fit, at least one; `shown` counts them.
void fill_page(const Timeline& timeline, std::size_t tokens, TemporalQueryAnswer& out, std::size_t& shown) {
  constexpr std::size_t kFrameTokens = 80;   // totals and range
  constexpr std::size_t kEntryTokens = 110;  // of a slice without its story
  const std::size_t each = tokens / std::max<std::size_t>(timeline.slices.size(), 1);
  const std::size_t gist_bytes = std::clamp<std::size_t>((each - std::min(each, kEntryTokens)) * 4 / 3, 70, kGistBytes);
  std::size_t used = kFrameTokens;
  std::string day;
  shown = 0;
  for (const auto& [slice_day, slice] : timeline.slices) {
    const auto known = std::find_if(out.sessions.begin(), out.sessions.end(),
                                    [&, uid = &slice.session_uid](const auto& s) { return s.session_id == *uid; });
    std::string lines;
    if (slice_day != day) lines = (out.summary.empty() ? "" : "\n") + slice_day + "\n";
    lines += narrative(slice, gist_bytes);
    std::size_t cost = estimate_tokens(lines) + 2;
    if (known == out.sessions.end()) cost += estimate_tokens(mcp::to_json(session_of(slice)));
    if (shown > 0 && used + cost > tokens) break;
    used += cost;
    ++shown;
    day = slice_day;
    out.summary += lines;
    if (known == out.sessions.end()) {
      out.sessions.push_back(session_of(slice));
    } else {
      known->exchange_count += slice.exchange_count;
      known->time_range.end = format_rfc3339(slice.range.end);
    }
  }
}

Result<TemporalQueryAnswer> run(const ToolServices& services, const TemporalQueryParams& params,
                                mcp::ToolContext& context) {
  ScopeParams asked = params;
  asked.since = params.from;
  MEMD_TRY_ASSIGN(const Scope scope, resolve_scope(services, asked, {Capability::temporal_query, {}, &context}));
  const auto question = question_key({"temporal_query", scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  const std::size_t limit = token_limit(services, params);
  TimelineQuery query{scope.filter, static_cast<int>(std::clamp<std::size_t>(limit / 60, 10, 150)),
                      static_cast<int>(at.offset)};
  MEMD_TRY_ASSIGN(const Timeline timeline, reader->ask(query));

  Answer frame = answer_for(scope);
  MEMD_TRY_ASSIGN(frame.outside,
                  count_outside(*reader, scope, query, &Timeline::total_exchanges, timeline.total_exchanges));
  std::int64_t evicted = 0;
  for (const auto& [day, slice] : timeline.slices)
    if (slice.is_evicted) evicted += slice.exchange_count;
  tell_evicted(frame.notice, evicted);
  return fit_answer<TemporalQueryAnswer>(limit, frame, [&](std::size_t tokens) {
    TemporalQueryAnswer out;
    static_cast<Answer&>(out) = frame;
    out.total_exchanges = timeline.total_exchanges;
    out.total_sessions = timeline.total_sessions;
    const TimeMs until = scope.filter.until != 0 ? scope.filter.until : services.clock.now();
    out.time_range = {format_rfc3339(scope.filter.since), format_rfc3339(until)};
    for (const auto& [platform, n] : timeline.platform_breakdown)
      out.platform_breakdown.emplace_back(to_string(platform), n);
    std::size_t shown = 0;
    fill_page(timeline, tokens, out, shown);
    if (timeline.slices.empty()) out.summary = "Nothing in this time.";
    if (timeline.more || shown < timeline.slices.size())
      out.next = encode_cursor({at.offset + static_cast<std::int64_t>(shown), 0}, question);
    return out;
  });
}

}  // namespace

AnswerText render_text(const TemporalQueryAnswer& a) {
  using Time = AnswerText::Time;
  AnswerText out;
  out.add(scope_line(a), a.total_exchanges, " exchanges in ", a.total_sessions, " sessions from ",
          Time{a.time_range.since}, " to ", Time{a.time_range.until});
  bool first = true;
  for (const auto& [platform, count] : a.platform_breakdown) {
    if (std::exchange(first, false))
      out.add(": ");
    else
      out.add(", ");
    out.add(AnswerText::Id{platform}, " ", count);
  }
  out.add(".\n");
  if (a.total_exchanges == 0) return out.add("Nothing in this time.\n", answer_footer(a));
  HistoryText body;
  body.add(HistoryText::Whole{a.summary}, "\n");
  if (!a.sessions.empty()) body.add("Sessions:\n");
  for (const TemporalSessionOut& s : a.sessions)
    body.add(s.session_id, "  \"", s.session_name, "\"  ", s.platform, "  ", s.exchange_count, " exchanges  ",
             short_time(s.time_range.start), " to ", short_time(s.time_range.end), "\n");
  return out.quote(body).add(answer_footer(a));
}

void add_temporal_query(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "temporal_query";
  info.title = "What happened in a time range";
  info.description =
      "What was done between two times, on any agent: day by day and session by session, what was asked and what came "
      "of "
      "it, with exchange ids. Use it for \"yesterday\", \"last week\", \"before the release\". Details: "
      "session_summary for a "
      "session, get_exchange for an exchange.";
  registry.add<TemporalQueryParams, TemporalQueryAnswer>(
      std::move(info), [services](const TemporalQueryParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
