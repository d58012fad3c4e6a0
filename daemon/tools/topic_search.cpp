#include "daemon/tools/topic_search.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/summary_source.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/enrichment.hpp"
#include "schemas/search.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/insight/topics/topic_story.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/search/topic_index.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/token_budget.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>

namespace memd::tools {
namespace {

// The exchanges of one session that are about a topic.
struct TopicGroup {
  std::vector<const SearchHit*> by_rank;  // best first
  std::vector<const SearchHit*> by_time;
};

// Everything found about a topic: hits of a search, and exchanges that have it among their stored topics.
struct TopicMaterial {
  std::vector<SearchHit> hits;       // best first; `sessions` points into it
  std::vector<TopicGroup> sessions;  // by the time of their first hit
  std::vector<TopicCount> names;     // stored topics that match it, the most used first
  std::vector<TopicCount> related;
  std::unordered_map<ExchangeId, std::vector<DecisionOut>> decisions;  // by exchange, in order
  bool more = false;                                                   // the search has more hits than were read
  AnswerText notice;                                                   // search_notice(); may be empty
  std::optional<std::int64_t> outside;                                 // OutsideHits::count
};

constexpr int kTopicExchanges = 100;

// Share of the best score that a hit needs if the topic is not among its stored topics.
constexpr double kLeastOfBest = 0.4;

bool is_about(const SearchHit& hit, const SearchAnswer& answer) {
  if (answer.nothing_relevant) return false;
  const bool all_low = answer.hits.front().confidence == Confidence::low;
  if (hit.confidence == Confidence::low && !all_low) return false;
  return hit.relevance_score >= kLeastOfBest * answer.hits.front().relevance_score;
}

SearchHit hit_of(ExchangeRow row, double relevance) {
  SearchHit hit;
  hit.relevance_score = relevance;
  hit.user_message = std::move(row.user_message);
  hit.assistant_response = row.final_answer();
  hit.is_evicted = row.is_evicted();
  static_cast<ExchangeHead&>(hit) = std::move(row);
  return hit;
}

std::vector<TopicGroup> grouped(const std::vector<SearchHit>& hits) {
  std::vector<TopicGroup> groups;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const SearchHit& hit : hits) {
    const auto [it, fresh] = place.try_emplace(hit.session_uid, groups.size());
    if (fresh) groups.emplace_back();
    groups[it->second].by_rank.push_back(&hit);
  }
  for (TopicGroup& g : groups) {
    g.by_time = g.by_rank;
    std::stable_sort(g.by_time.begin(), g.by_time.end(),
                     [](auto* a, auto* b) { return a->started_at < b->started_at; });
  }
  std::stable_sort(groups.begin(), groups.end(), [](const TopicGroup& a, const TopicGroup& b) {
    return a.by_time.front()->started_at < b.by_time.front()->started_at;
  });
  return groups;
}

// Collects the material about a topic. `embedded`: as in Reader::search().
Result<TopicMaterial> gather_topic(Reader& reader, const std::string& topic, const std::vector<std::string>& also,
                                   const Scope& scope, const std::function<void()>& embedded) {
  const QueryFilter& filter = scope.filter;
  SearchQuery query;
  query.asked = search::parse_query(topic);
  query.also = also;
  query.filter = filter;
  query.count_outside = scope.narrowed;
  query.limit = kTopicExchanges;
  MEMD_TRY_ASSIGN(SearchAnswer answer, reader.search(query, embedded));
  TopicQuery question{topic, filter, {}, kTopicExchanges};
  for (const SearchHit& hit : answer.hits)
    question.found.push_back(hit.id);
  MEMD_TRY_ASSIGN(TopicFinding stored, reader.ask(question));

  TopicMaterial out;
  out.more = answer.more;
  if (answer.outside) out.outside = answer.outside->count;
  out.notice = search_notice(answer, query.mode, scope);
  out.names = std::move(stored.names);
  out.related = std::move(stored.related);
  std::unordered_map<ExchangeId, const TopicExchange*> left;
  for (const TopicExchange& e : stored.exchanges)
    left.emplace(e.id, &e);
  for (SearchHit& hit : answer.hits) {
    const auto it = left.find(hit.id);
    if (it == left.end() && !is_about(hit, answer)) continue;
    if (it != left.end()) {
      hit.relevance_score = std::max(hit.relevance_score, it->second->relevance);
      left.erase(it);
    }
    out.hits.push_back(std::move(hit));
  }
  std::vector<ExchangeId> missing;
  for (const TopicExchange& e : stored.exchanges)
    if (left.contains(e.id)) missing.push_back(e.id);
  MEMD_TRY_ASSIGN(std::vector<ExchangeRow> rows, reader.ask(ExchangesQuery{missing}));
  for (ExchangeRow& row : rows) {
    const double relevance = left.at(row.id)->relevance;
    out.hits.push_back(hit_of(std::move(row), relevance));
  }
  std::stable_sort(out.hits.begin(), out.hits.end(),
                   [](const SearchHit& a, const SearchHit& b) { return a.relevance_score > b.relevance_score; });
  out.sessions = grouped(out.hits);
  std::vector<ExchangeId> ids;
  for (const SearchHit& hit : out.hits)
    ids.push_back(hit.id);
  MEMD_TRY_ASSIGN(const auto decisions, reader.ask(ObservationsOfQuery{ids}));
  for (const PlacedObservation& one : decisions) {
    DecisionOut decision = decision_out(one.observation, one.reversed_by);
    decision.exchange_id = format_exchange_id(one.exchange_id);
    decision.chosen = decision.rejected = decision.reason = std::nullopt;  // the sentence contains them
    out.decisions[one.exchange_id].push_back(std::move(decision));
  }
  return out;
}

// Returns the answer when no topic was named: the most frequent topics.
// `whose`: ProjectsAsked::lead.
Result<TopicSearchAnswer> list_topics(const ToolServices& services, const TopicSearchParams& params, const Scope& scope,
                                      const AnswerText& whose, Reader& reader) {
  constexpr int kPage = 100;
  const auto question = question_key({"topic_search", "", scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  const TopicListQuery query{scope.filter, kPage, static_cast<int>(at.offset)};
  MEMD_TRY_ASSIGN(const TopicList list, reader.ask(query));
  MEMD_TRY_ASSIGN(const EnrichmentBacklog backlog, reader.ask(EnrichmentBacklogQuery{}));
  Answer frame = answer_for(scope);
  MEMD_TRY_ASSIGN(frame.outside, count_outside(reader, scope, query, &TopicList::total, list.total));
  lead_with(frame, whose);
  if (backlog.terms > 0)
    lead_with(frame, AnswerText().add("The topics of ", backlog.terms, " turns are still to be found."));
  const auto build = [&](std::size_t tokens) {
    TopicSearchAnswer out;
    static_cast<Answer&>(out) = frame;
    out.topics_found = list.total;
    out.topics.emplace();
    std::size_t used = 60;
    for (const TopicCount& t : list.topics) {
      TopicOut one{ascii::one_line(t.topic), t.exchanges, t.sessions, to_out(t.span)};
      used += estimate_tokens(mcp::to_json(one)) + 1;
      if (!out.topics->empty() && used > tokens) break;
      out.topics->push_back(std::move(one));
    }
    const std::int64_t end = at.offset + static_cast<std::int64_t>(out.topics->size());
    if (end < list.total && !out.topics->empty()) out.next = encode_cursor({end, 0}, question);
    return out;
  };
  return fit_answer<TopicSearchAnswer>(token_limit(services, params), frame, build, TextRoom::its_own);
}

using topics::StoryTurn;
using topics::TurnKind;

constexpr std::size_t kNamesShown = 6;

// Returns one turn of the story for each session, derived from its exchanges that fit the topic best.
std::vector<StoryTurn> story(const TopicMaterial& material, std::string_view topic) {
  constexpr std::size_t kRead = 12;
  std::vector<topics::StoryExchange> inputs;
  std::vector<const SearchHit*> read;
  for (std::size_t s = 0; s < material.sessions.size(); ++s) {
    const TopicGroup& g = material.sessions[s];
    const auto best = std::span(g.by_rank).first(std::min(kRead, g.by_rank.size()));
    for (const SearchHit* hit : g.by_time)
      if (std::find(best.begin(), best.end(), hit) != best.end()) {
        inputs.push_back({s, hit->user_message, hit->assistant_response});
        read.push_back(hit);
      }
  }
  std::vector<StoryTurn> turns = topics::story_of(inputs, topic);
  for (StoryTurn& turn : turns)  // from here on an index into hits
    turn.exchange = static_cast<std::size_t>(read[turn.exchange] - material.hits.data());
  return turns;
}

// Returns the indices of the first turn, the last, and the most important between them. Among equals the later ones are
// preferred, because they are closer to the present state.
std::vector<std::size_t> telling(const std::vector<StoryTurn>& turns) {
  constexpr std::size_t kBetween = 5;
  std::vector<std::size_t> between;
  for (std::size_t i = 1; i + 1 < turns.size(); ++i)
    if (turns[i].kind >= TurnKind::fix) between.push_back(i);
  std::stable_sort(between.begin(), between.end(), [&](std::size_t a, std::size_t b) {
    return turns[a].kind != turns[b].kind ? turns[a].kind > turns[b].kind : a > b;
  });
  if (between.size() > kBetween) between.resize(kBetween);
  between.push_back(0);
  if (turns.size() > 1) between.push_back(turns.size() - 1);
  std::sort(between.begin(), between.end());
  return between;
}

// Returns "2026-01-22 to 2026-02-09, 12 exchanges in 5 sessions: question (x12), decision (x40), last reversal (x77)."
std::string evolution(const TopicMaterial& material, const std::vector<StoryTurn>& turns) {
  if (turns.empty()) return {};
  const auto day = [](TimeMs t) { return short_time(t).substr(0, 10); };
  TimeMs last = 0;
  for (const SearchHit& hit : material.hits)
    last = std::max(last, hit.started_at);
  const std::string from = day(material.sessions.front().by_time.front()->started_at);
  std::string out = from;
  if (day(last) != from) out += " to " + day(last);
  out += ", " + counted(std::ssize(material.hits), "turn") + " in " + counted(std::ssize(material.sessions), "session");
  const std::vector<std::size_t> shown = telling(turns);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const StoryTurn& turn = turns[shown[i]];
    out += i == 0 ? ": " : ", ";
    if (i > 0 && i + 1 == shown.size()) out += "last ";
    out += std::string(to_string(turn.kind)) + " (" + format_exchange_id(material.hits[turn.exchange].id) + ")";
  }
  return out + ".";
}

std::string timeline_entry(const TopicMaterial& material, const TopicGroup& g, const StoryTurn& turn) {
  const SearchHit& hit = material.hits[turn.exchange];
  std::string out = short_time(g.by_time.front()->started_at);
  if (!hit.project.empty()) out += " " + hit.project;
  out += " (" + format_exchange_id(hit.id) + ") " + std::string(to_string(turn.kind));
  return turn.text.empty() ? out : out + ": " + cut_to_tokens(turn.text, 48).text;
}

TopicSessionOut without_summary(const TopicGroup& g, const StoryTurn& turn) {
  TopicSessionOut out;
  const SearchHit& first = *g.by_time.front();
  out.session_name = short_line(first.session_title, 24);
  out.platform = to_string(first.platform);
  out.turn = to_string(turn.kind);
  out.what_was_new = cut_to_tokens(turn.text, 60).text;
  out.exchange_count = static_cast<std::int64_t>(g.by_time.size());
  out.time_range = to_out({first.started_at, g.by_time.back()->started_at});
  constexpr std::size_t kIds = 10;
  for (const SearchHit* hit : g.by_rank)
    if (out.exchange_ids.size() < kIds) out.exchange_ids.push_back(format_exchange_id(hit->id));
  return out;
}

// Returns at most kDecisions decisions of the exchanges that fit best, in order of time.
std::optional<std::vector<DecisionOut>> decisions_of(const TopicMaterial& material, const TopicGroup& g) {
  constexpr std::size_t kDecisions = 4;
  std::vector<const SearchHit*> telling;
  std::size_t found = 0;
  for (const SearchHit* hit : g.by_rank) {
    const auto it = material.decisions.find(hit->id);
    if (it == material.decisions.end() || found >= kDecisions) continue;
    found += it->second.size();
    telling.push_back(hit);
  }
  std::sort(telling.begin(), telling.end(), [](auto* a, auto* b) { return a->started_at < b->started_at; });
  std::vector<DecisionOut> out;
  for (const SearchHit* hit : telling)
    for (const DecisionOut& decision : material.decisions.at(hit->id))
      if (out.size() < kDecisions) out.push_back(decision);
  return unless_empty(std::move(out));
}

std::optional<DecisionOut> latest_decision(const TopicMaterial& material) {
  const SearchHit* latest = nullptr;
  for (const SearchHit& hit : material.hits) {
    const auto it = material.decisions.find(hit.id);
    if (it == material.decisions.end() || it->second.empty()) continue;
    if (latest == nullptr || std::pair(hit.started_at, hit.id) > std::pair(latest->started_at, latest->id))
      latest = &hit;
  }
  if (latest == nullptr) return std::nullopt;
  return material.decisions.at(latest->id).back();
}

std::vector<std::string> names_of(const std::vector<TopicCount>& topics) {
  std::vector<std::string> out;
  for (const TopicCount& t : topics)
    if (out.size() < kNamesShown) out.push_back(ascii::one_line(t.topic));
  return out;
}

struct Question {
  const std::string& topic;
  std::uint64_t key = 0;
  std::size_t first = 0;                 // index of the first session on this page
  std::vector<FoundMemoryOut> memories;  // on the first page only
};

TopicSearchAnswer page(const Question& question, const Answer& frame, const TopicMaterial& material,
                       const std::vector<StoryTurn>& turns, std::size_t tokens) {
  constexpr std::size_t kLeastSummary = 70;
  TopicSearchAnswer out;
  static_cast<Answer&>(out) = frame;
  out.topic = echo_of(question.topic);
  out.sessions_found = static_cast<std::int64_t>(material.sessions.size());
  out.total_exchanges = static_cast<std::int64_t>(material.hits.size());
  constexpr std::size_t kLeastForDecision = 200;
  if (question.first == 0 && tokens >= kLeastForDecision) out.latest_decision = latest_decision(material);
  std::size_t fixed = 30 + estimate_tokens(out.topic);
  if (out.latest_decision) fixed += estimate_tokens(mcp::to_json(*out.latest_decision));
  constexpr std::size_t kRoomy = 500;  // tokens below which sessions have priority over what is said of the whole topic
  if (tokens >= kRoomy || material.sessions.empty()) {
    if (!material.names.empty()) out.known_as = names_of(material.names);
    if (!material.related.empty()) out.related_topics = names_of(material.related);
    out.evolution = evolution(material, turns);
    if (!material.sessions.empty()) {
      TimeRange span{material.hits.front().started_at, material.hits.front().started_at};
      for (const SearchHit& hit : material.hits)
        span = {std::min(span.start, hit.started_at), std::max(span.end, hit.started_at)};
      out.time_range = to_out(span);
    }
    out.memories = unless_empty(question.memories);
    fixed = estimate_tokens(mcp::to_json(out)) - std::min(estimate_tokens(mcp::to_json(frame)), std::size_t{10'000});
  }
  const auto& groups = material.sessions;
  for (std::size_t i = question.first; i < groups.size(); ++i) {
    TopicSessionOut one = without_summary(groups[i], turns[i]);
    if (tokens >= kRoomy) one.decisions = decisions_of(material, groups[i]);
    const std::string& uid = groups[i].by_rank.front()->session_uid;
    const std::string line = timeline_entry(material, groups[i], turns[i]);
    const std::size_t cost = estimate_tokens(mcp::to_json(one)) + estimate_tokens(uid) + 4 + estimate_tokens(line) + 2;
    if (!out.by_session.empty() && fixed + cost + kLeastSummary * (out.by_session.size() + 1) > tokens) break;
    fixed += cost;
    if (!out.chronological_summary.empty()) out.chronological_summary += '\n';
    out.chronological_summary += line;
    out.by_session.emplace_back(uid, std::move(one));
  }
  const std::size_t left = tokens - std::min(tokens, fixed);
  for (std::size_t i = 0; i < out.by_session.size(); ++i) {
    const SummarySource source(groups[question.first + i].by_time);
    SummaryLimits limits;
    limits.max_tokens = left / out.by_session.size();
    limits.focus = question.topic;
    out.by_session[i].second.summary = summarize(source.inputs(), limits).text;
  }
  const std::size_t end = question.first + out.by_session.size();
  if (end < groups.size()) out.next = encode_cursor({static_cast<std::int64_t>(end), 0}, question.key);
  return out;
}

// Adds related topics, else the most frequent ones, to an answer without exchanges about the topic.
Result<void> name_near_topics(Reader& reader, const QueryFilter& filter, TopicMaterial& material, Answer& frame) {
  const bool near = !material.related.empty();
  if (!near) {
    MEMD_TRY_ASSIGN(TopicList list, reader.ask(TopicListQuery{filter, static_cast<int>(kNamesShown), 0}));
    material.related = std::move(list.topics);
  }
  lead_with(frame, "Nothing here is about that topic.");
  if (!material.related.empty() && near)
    lead_with(frame, "related_topics are the nearest there are.");
  else if (!material.related.empty())
    lead_with(frame, "related_topics are what most talk was about.");
  return {};
}

Result<TopicSearchAnswer> run(const ToolServices& services, const TopicSearchParams& params,
                              mcp::ToolContext& context) {
  std::string session = params.session_id.value_or("");
  AnswerText whose;  // ProjectsAsked::lead
  if ((session.empty() && !params.all_sessions) || session == "latest") {
    MEMD_TRY_ASSIGN(const ProjectsAsked projects, newest_asked_for(services, params, session, context));
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
    MEMD_TRY_ASSIGN(const SessionRow latest, session_asked_for(services, *reader, projects, session));
    session = latest.uid;
    whose = projects.lead;
  }
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, params, {Capability::semantic_search, session, &context}));
  const std::string kind = asked_observation(params);
  scope.filter.observed = parse_observation_type(kind);
  (scope.key += '\n') += kind;
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  const std::string topic = params.topic.value_or("");
  if (ascii::one_line(topic).empty()) return list_topics(services, params, scope, whose, *reader);

  const auto key = question_key({"topic_search", topic, boost::algorithm::join(params.also, "\n"), scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, key));
  context.stage(0, 2, "embedding the topic");
  const auto embedded = [&] { context.stage(1, 2, "searching"); };
  MEMD_TRY_ASSIGN(TopicMaterial material, gather_topic(*reader, topic, params.also, scope, embedded));
  Answer frame = answer_for(scope);
  frame.outside = material.outside;
  lead_with(frame, whose);
  lead_with(frame, material.notice);
  tell_evicted(frame.notice, std::ranges::count_if(material.hits, &SearchHit::is_evicted));
  if (material.more) frame.notice.say("Of what a search finds only the 100 best are here.");
  FoundMemories memories;
  if (at.offset == 0) {
    const ParsedQuery asked = search::parse_query(topic, services.clock.now());
    const MemoryQuestion about{scope, asked, SearchMode::hybrid, kind, names_platforms(params)};
    MEMD_TRY_ASSIGN(memories, find_memories(services, *reader, about));
    if (!memories.notice.empty()) frame.notice.say(memories.notice);
  }
  if (material.sessions.empty())
    if (auto named = name_near_topics(*reader, scope.filter, material, frame); !named) return named.error();
  const std::vector<StoryTurn> turns = story(material, topic);
  Question question{topic, key, std::min(static_cast<std::size_t>(at.offset), material.sessions.size()), {}};
  std::ranges::transform(memories.hits, std::back_inserter(question.memories), found_memory);
  return fit_answer<TopicSearchAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    return page(question, frame, material, turns, tokens);
  });
}

AnswerText list_text(const TopicSearchAnswer& a) {
  HistoryText body;
  for (const TopicOut& t : *a.topics)
    body.add(t.topic, "  ", counted(t.exchanges, "turn"), " in ", counted(t.sessions, "session"), "  ",
             short_time(t.time_range.start), " to ", short_time(t.time_range.end), "\n");
  AnswerText out;
  out.add(answer_header(a), counted_words(a.topics_found.value_or(0), "topic"), ", what was discussed most first.\n")
      .quote(body);
  if (!body.empty()) out.add("How one went on: topic_search(topic=…).\n");
  return out.add(answer_footer(a));
}

}  // namespace

AnswerText render_text(const TopicSearchAnswer& a) {
  using Time = AnswerText::Time;
  if (a.topics) return list_text(a);
  AnswerText out;
  out.add(answer_header(a), "\"", AnswerText::Echo{ascii::one_line(a.topic)},
          "\": ", counted_words(a.total_exchanges, "turn"), " in ", counted_words(a.sessions_found, "session"),
          ", oldest first.\n");
  if (a.time_range) out.add("From ", Time{a.time_range->start}, " to ", Time{a.time_range->end}, ".\n");
  HistoryText body;
  if (a.latest_decision) add_latest_decision(body, *a.latest_decision);
  for (const FoundMemoryOut& memory : a.memories.value_or(std::vector<FoundMemoryOut>()))
    add_memory(body, memory);
  if (!a.evolution.empty()) body.add(HistoryText::Whole{a.evolution}, "\n");
  if (a.known_as) body.add("Known as: ", joined(*a.known_as), "\n");
  if (a.related_topics) body.add("Related: ", joined(*a.related_topics), "\n");
  std::vector<std::string> ids;
  for (const auto& [uid, s] : a.by_session) {
    body.add(uid, "  \"", s.session_name, "\"  ", s.platform, "  ", short_time(s.time_range.start), " to ",
             short_time(s.time_range.end), "  ", counted(s.exchange_count, "turn"), ":");
    for (const std::string& id : s.exchange_ids)
      body.add(" ", id);
    body.add("\n  New, ", s.turn);
    if (!s.what_was_new.empty()) body.add(": ", ascii::one_line(s.what_was_new));
    body.add("\n", HistoryText::Whole{s.summary}, "\n");
    for (const DecisionOut& d : s.decisions.value_or(std::vector<DecisionOut>())) {
      body.add("  Decided: ");
      add_decision(body, d);
      body.add("\n");
    }
    if (ids.empty()) ids = s.exchange_ids;
  }
  out.quote(body);
  if (!ids.empty()) out.add("Full text: get_exchange(ids=[\"", AnswerText::Id{ids.front()}, "\"]).\n");
  return out.add(answer_footer(a));
}

void add_topic_search(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "topic_search";
  info.title = "A topic across sessions";
  info.description =
      "How a subject changed over time, session by session: why did we do, drop or choose X, when did X change, "
      "what did we decide about X; what was changed, fixed or reversed, the latest decision first. Without "
      "topic: what was discussed most.";
  info.search_words = "why when did we drop choose change over time evolution of a subject";
  registry.add<TopicSearchParams, TopicSearchAnswer>(
      std::move(info), [services](const TopicSearchParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
