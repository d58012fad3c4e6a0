#include "daemon/tools/topic_search.hpp"

#include "daemon/tools/page_cursor.hpp"
#include "daemon/tools/summary_source.hpp"
#include "store/summary/token_budget.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

constexpr int kHits = 100;

struct SessionHits {
  std::vector<const SearchHit*> by_rank;
  std::vector<const SearchHit*> by_time;
};

// Sessions in order of their first hit.
std::vector<SessionHits> group(const std::vector<SearchHit>& hits) {
  std::vector<SessionHits> groups;
  for (const SearchHit& hit : hits) {
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const SessionHits& g) { return g.by_rank.front()->session_uid == hit.session_uid; });
    if (it == groups.end()) it = groups.insert(groups.end(), SessionHits{});
    it->by_rank.push_back(&hit);
  }
  for (SessionHits& g : groups) {
    g.by_time = g.by_rank;
    std::stable_sort(g.by_time.begin(), g.by_time.end(), [](auto* a, auto* b) { return a->time < b->time; });
  }
  std::stable_sort(groups.begin(), groups.end(), [](const SessionHits& a, const SessionHits& b) {
    return a.by_time.front()->time < b.by_time.front()->time;
  });
  return groups;
}

TopicSessionOut without_summary(const SessionHits& g) {
  TopicSessionOut out;
  const SearchHit& first = *g.by_time.front();
  out.session_name = cut_to_tokens(on_one_line(first.session_title), 24).text;
  out.platform = to_string(first.platform);
  out.exchange_count = static_cast<std::int64_t>(g.by_time.size());
  out.time_range = to_out({first.time, g.by_time.back()->time});
  constexpr std::size_t kIds = 10;
  for (const SearchHit* hit : g.by_rank)
    if (out.exchange_ids.size() < kIds) out.exchange_ids.push_back(format_exchange_id(hit->exchange_id));
  return out;
}

std::string timeline_entry(const SessionHits& g, std::string_view topic) {
  const SearchHit& best = *g.by_rank.front();
  const SearchHit* const one[] = {&best};
  const SummarySource source(one);
  // Without the label, for the line has its own.
  SummaryInput input = source.inputs().front();
  input.label = {};
  SummaryLimits limits;
  limits.ratio = kBriefRatio;
  limits.max_tokens = 40;
  limits.focus = topic;
  const SummaryInput inputs[] = {input};
  return short_time(g.by_time.front()->time) + " " + best.project + " (" + format_exchange_id(best.exchange_id) +
         "): " + on_one_line(summarize(inputs, limits).text);
}

Result<TopicSearchAnswer> run(const ToolServices& services, const TopicSearchParams& params,
                              mcp::ToolContext& context) {
  std::string session = params.session_id.value_or("");
  if (session.empty() && !params.all_sessions) session = "latest";
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  if (session == "latest") {
    MEMD_TRY_ASSIGN(const SessionRow latest, find_session(services, *reader, "latest", params.project.value_or("")));
    session = latest.uid;
  }
  MEMD_TRY_ASSIGN(const Scope scope, resolve_scope(services, params, {Capability::semantic_search, session}));
  const auto question = question_key({"topic_search", params.topic, scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  SearchQuery query;
  query.text = params.topic;
  query.filter = scope.filter;
  query.limit = kHits;
  MEMD_TRY_ASSIGN(const SearchAnswer found, reader->search(query));

  const std::vector<SessionHits> groups = group(found.hits);
  const auto first = std::min(static_cast<std::size_t>(at.offset), groups.size());
  Answer frame = answer_for(scope);
  if (const std::string notice = search_notice(found, query.mode); !notice.empty()) (frame.notice += ' ') += notice;
  std::vector<std::string> lines(groups.size());  // made when first needed
  if (found.more) frame.notice += " Only the 100 best exchanges were looked at.";
  return fit_answer<TopicSearchAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    TopicSearchAnswer out;
    static_cast<Answer&>(out) = frame;
    out.topic = params.topic;
    out.sessions_found = static_cast<std::int64_t>(groups.size());
    out.total_exchanges = static_cast<std::int64_t>(found.hits.size());
    constexpr std::size_t kLeastSummary = 70;
    std::size_t fixed = 30 + estimate_tokens(params.topic);
    for (std::size_t i = first; i < groups.size(); ++i) {
      TopicSessionOut one = without_summary(groups[i]);
      const std::string& uid = groups[i].by_rank.front()->session_uid;
      std::string& line = lines[i];
      if (line.empty()) line = timeline_entry(groups[i], params.topic);
      const std::size_t cost =
          estimate_tokens(mcp::to_json(one)) + estimate_tokens(uid) + 4 + estimate_tokens(line) + 2;
      if (!out.by_session.empty() && fixed + cost + kLeastSummary * (out.by_session.size() + 1) > tokens) break;
      fixed += cost;
      if (!out.chronological_summary.empty()) out.chronological_summary += '\n';
      out.chronological_summary += line;
      out.by_session.emplace_back(uid, std::move(one));
    }
    const std::size_t left = tokens - std::min(tokens, fixed);
    for (std::size_t i = 0; i < out.by_session.size(); ++i) {
      const SummarySource source(groups[first + i].by_time);
      SummaryLimits limits;
      limits.max_tokens = left / out.by_session.size();
      limits.focus = params.topic;
      out.by_session[i].second.summary = summarize(source.inputs(), limits).text;
    }
    const std::size_t end = first + out.by_session.size();
    if (end < groups.size()) out.next = encode_cursor({static_cast<std::int64_t>(end), 0}, question);
    return out;
  });
}

}  // namespace

std::string render_text(const TopicSearchAnswer& a) {
  std::string out = "\"" + on_one_line(a.topic) + "\": " + std::to_string(a.total_exchanges) + " exchanges in " +
                    std::to_string(a.sessions_found) + " sessions, oldest first.\n";
  std::string body;
  std::vector<std::string> ids;
  for (const auto& [uid, s] : a.by_session) {
    body += uid + "  \"" + s.session_name + "\"  " + s.platform + "  " + short_time(s.time_range.start) + " to " +
            short_time(s.time_range.end) + "  " + std::to_string(s.exchange_count) + " exchanges:";
    for (const std::string& id : s.exchange_ids)
      (body += ' ') += id;
    body += "\n" + s.summary + "\n";
    if (ids.empty()) ids = s.exchange_ids;
  }
  if (!a.by_session.empty()) out += history_block(body);
  if (!ids.empty()) out += "Full text: get_exchange(ids=[\"" + ids.front() + "\"]).\n";
  return out + answer_footer(a);
}

void add_topic_search(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "topic_search";
  info.title = "A topic across sessions";
  info.description =
      "How a topic went over time: exchanges about it grouped by session, oldest first, each session with a summary "
      "and exchange ids. Use it for \"what did we decide about X\" and \"when did X change\"; for one fact "
      "semantic_search is cheaper.";
  registry.add<TopicSearchParams, TopicSearchAnswer>(
      std::move(info), [services](const TopicSearchParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
