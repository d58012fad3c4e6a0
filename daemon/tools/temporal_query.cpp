#include "daemon/tools/temporal_query.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/time.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/read/timeline.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

std::string title_of(const DaySlice& slice) { return short_line(slice.session_title, 24); }

std::string clock_time(TimeMs t) { return format_local_minute(t).substr(11, 5); }

// Returns whether `title` begins with `text`, whose "…" at the end is ignored. The title of a session without a name is
// the beginning of its first prompt.
bool is_beginning_of(std::string_view text, std::string_view title) {
  constexpr std::string_view kMark = "…";
  if (text.ends_with(kMark)) text.remove_suffix(kMark.size());
  return title.starts_with(text);
}

// Returns what was asked and what came of it, at most `gist_bytes` each; empty if that is too little to be useful.
std::string story_of(const DaySlice& slice, std::size_t gist_bytes) {
  constexpr std::size_t kLeastGist = 30;
  if (gist_bytes < kLeastGist) return {};
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

std::string day_of(TimeMs time) { return format_local_minute(time).substr(0, 10); }

std::string line_of(const DaySlice& slice) {
  const bool over_midnight = day_of(slice.range.end) != day_of(slice.range.start);
  return "- " + clock_time(slice.range.start) + " to " +
         (over_midnight ? short_time(slice.range.end) : clock_time(slice.range.end)) + " \"" + title_of(slice) +
         "\", " + format_exchange_id(slice.first_exchange);
}

TemporalSessionOut session_of(const DaySlice& slice) {
  return {{slice.session_uid, title_of(slice), std::string(to_string(slice.platform))},
          slice.project,
          slice.exchange_count,
          to_out(slice.range),
          format_exchange_id(slice.first_exchange)};
}

// A slice and its cost in the answer.
struct PricedSlice {
  DayEntry entry;
  std::size_t line = 0;   // tokens
  std::size_t story = 0;  // tokens at its full length
};

// Cuts a timeline into pages: first the sessions, all of them if they fit, then as much of their stories as fits.
// Borrows the timeline.
class DayPages {
 public:
  explicit DayPages(const Timeline& timeline) : timeline_(timeline) {
    for (const auto& [day, slice] : timeline.slices) {
      PricedSlice& one = slices_.emplace_back();
      one.entry.day = day;
      one.entry.exchanges = slice.exchange_count;
      one.entry.line = line_of(slice);
      one.entry.story = story_of(slice, kGistBytes);
      one.line = estimate_tokens(one.entry.line) + kLineBreak;
      one.story = one.entry.story.empty() ? 0 : estimate_tokens(one.entry.story) + kLineBreak;
    }
  }

  // Adds the slices that fit, at least one; returns how many.
  std::size_t fill(std::size_t tokens, TemporalQueryAnswer& out) const {
    const std::size_t shown = add_lines(tokens, out);
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < shown; ++i)
      wanted.push_back(slices_[i].story);
    const auto shares = fair_shares(tokens - std::min(tokens, cost(out, shown)), wanted);
    for (std::size_t i = 0; i < shown; ++i) {
      DayEntry& entry = out.entries[i];
      if (shares[i] < wanted[i]) {
        entry.story = story_of(timeline_.slices[i].second, kGistBytes * shares[i] / wanted[i]);
        if (estimate_tokens(entry.story) > shares[i]) entry.story.clear();
      }
      if (i == 0 || entry.day != out.entries[i - 1].day) out.summary += (i > 0 ? "\n" : "") + entry.day + "\n";
      out.summary += entry.line + "\n" + entry.story;
    }
    return shown;
  }

 private:
  static constexpr std::size_t kLineBreak = 2;
  static constexpr std::size_t kDay = 8;      // tokens of a day's heading
  static constexpr std::size_t kTotals = 80;  // tokens of totals and range
  static constexpr std::size_t kLeastStory = 24;

  // Adds all slices if they fit without stories, else as many as fit with a short story each. Returns how many.
  std::size_t add_lines(std::size_t tokens, TemporalQueryAnswer& out) const {
    std::size_t all = kTotals;
    std::vector<std::size_t> costs;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const DaySlice& slice = timeline_.slices[i].second;
      const auto known = std::find_if(out.sessions.begin(), out.sessions.end(),
                                      [&](const auto& s) { return s.session_id == slice.session_uid; });
      DayEntry& entry = out.entries.emplace_back(slices_[i].entry);
      entry.session = static_cast<std::size_t>(known - out.sessions.begin());
      std::size_t one = slices_[i].line;
      if (i == 0 || slices_[i].entry.day != slices_[i - 1].entry.day) one += kDay;
      if (known == out.sessions.end()) {
        out.sessions.push_back(session_of(slice));
        one += estimate_tokens(mcp::to_json(out.sessions.back())) + 1;
      }
      costs.push_back(one);
      all += one;
    }
    std::size_t shown = slices_.size();
    if (all > tokens) {
      std::size_t used = kTotals;
      for (shown = 0; shown < slices_.size(); ++shown) {
        used += costs[shown] + std::min(kLeastStory, slices_[shown].story);
        if (shown > 0 && used > tokens) break;
      }
    }
    out.entries.resize(shown);
    std::size_t sessions = 0;
    for (const DayEntry& entry : out.entries)
      sessions = std::max(sessions, entry.session + 1);
    out.sessions.resize(sessions);
    for (TemporalSessionOut& session : out.sessions)
      session.exchange_count = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      TemporalSessionOut& session = out.sessions[out.entries[i].session];
      session.exchange_count += out.entries[i].exchanges;
      session.time_range.end = format_rfc3339(timeline_.slices[i].second.range.end);
    }
    return shown;
  }

  std::size_t cost(const TemporalQueryAnswer& out, std::size_t shown) const {
    std::size_t sum = kTotals;
    for (const TemporalSessionOut& session : out.sessions)
      sum += estimate_tokens(mcp::to_json(session)) + 1;
    for (std::size_t i = 0; i < shown; ++i)
      sum += slices_[i].line + (i == 0 || slices_[i].entry.day != slices_[i - 1].entry.day ? kDay : 0);
    return sum;
  }

  const Timeline& timeline_;
  std::vector<PricedSlice> slices_;
};

// Names the nearest active days before and after the range, for an answer without exchanges.
Result<void> name_active_days(Reader& reader, const QueryFilter& filter, Answer& frame, TemporalQueryAnswer& days) {
  MEMD_TRY_ASSIGN(const auto nearest, reader.ask(NearestActivityQuery{filter}));
  AnswerText words = "Nothing in this time.";
  if (nearest.before != 0) {
    days.last_active_day = day_of(nearest.before);
    words.say("The last active day before it is ", AnswerText::Id{*days.last_active_day}, ".");
  }
  if (nearest.after != 0) {
    days.next_active_day = day_of(nearest.after);
    words.say("The first one after it is ", AnswerText::Id{*days.next_active_day}, ".");
  }
  lead_with(frame, words);
  return {};
}

Result<TemporalQueryAnswer> run(const ToolServices& services, const TemporalQueryParams& params,
                                mcp::ToolContext& context) {
  ScopeParams asked = params;
  asked.since = params.from;
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, asked, {Capability::temporal_query, {}, &context}));
  scope.filter.include_subagents = false;  // their work is told by the sessions that started them
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
  TemporalQueryAnswer nothing;
  if (timeline.total_exchanges == 0) MEMD_TRY(name_active_days(*reader, scope.filter, frame, nothing));
  const DayPages pages(timeline);
  const auto build = [&](std::size_t tokens) {
    TemporalQueryAnswer out = nothing;
    static_cast<Answer&>(out) = frame;
    out.total_exchanges = timeline.total_exchanges;
    out.total_sessions = timeline.total_sessions;
    const TimeMs until = scope.filter.until != 0 ? scope.filter.until : services.clock.now();
    out.time_range = {format_rfc3339(scope.filter.since), format_rfc3339(until)};
    for (const auto& [platform, n] : timeline.platform_breakdown)
      out.platform_breakdown.emplace_back(to_string(platform), n);
    const std::size_t shown = pages.fill(tokens, out);
    if (timeline.slices.empty()) out.summary = "Nothing in this time.";
    if (timeline.more || shown < timeline.slices.size())
      out.next = encode_cursor({at.offset + static_cast<std::int64_t>(shown), 0}, question);
    return out;
  };
  return fit_answer<TemporalQueryAnswer>(limit, frame, build);
}

}  // namespace

AnswerText render_text(const TemporalQueryAnswer& a) {
  using Time = AnswerText::Time;
  AnswerText out;
  out.add(answer_header(a), counted_words(a.total_exchanges, "turn"), " in ",
          counted_words(a.total_sessions, "session"), " from ", Time{a.time_range.since}, " to ",
          Time{a.time_range.until});
  bool first = true;
  for (const auto& [platform, count] : a.platform_breakdown) {
    if (std::exchange(first, false))
      out.add(": ");
    else
      out.add(", ");
    out.add(AnswerText::Id{platform}, " ", count);
  }
  if (std::ssize(a.sessions) < a.total_sessions) out.add("; ", a.sessions.size(), " of the sessions here");
  out.add(".\n");
  HistoryText body;
  std::vector<bool> named(a.sessions.size());
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const DayEntry& entry = a.entries[i];
    const TemporalSessionOut& session = a.sessions[entry.session];
    if (i == 0 || entry.day != a.entries[i - 1].day) body.add(entry.day, "\n");
    body.add(entry.line, ": ", entry.exchanges);
    if (entry.exchanges < session.exchange_count) body.add(" of ", session.exchange_count);
    if (session.exchange_count == 1)
      body.add(" turn");
    else
      body.add(" turns");
    if (!named[entry.session]) {
      if (!session.project.empty()) body.add(" in ", session.project);
      body.add("  ", session.session_id);
    }
    named[entry.session] = true;
    body.add("\n", HistoryText::Whole{entry.story});
  }
  return out.quote(body).add(answer_footer(a));
}

void add_temporal_query(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "temporal_query";
  info.title = "What was done yesterday, last week";
  info.description =
      "What did I do, what have we been working on: yesterday, last week, this month, between two times; gives a "
      "standup or log of today's work, day by day and session by session, in all projects if wanted.";
  info.search_words = "standup yesterday today last week month log timeline what did I do working on all projects";
  registry.add<TemporalQueryParams, TemporalQueryAnswer>(
      std::move(info), [services](const TemporalQueryParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
