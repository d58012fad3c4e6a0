#include "daemon/tools/topic_groups.hpp"

#include "daemon/tools/answer.hpp"
#include "store/read/exchanges.hpp"
#include "store/search/topic_index.hpp"

#include <algorithm>
#include <unordered_map>

namespace memd::tools {
namespace {

// Of hits that only share some words with the topic, those near the best stay.
constexpr double kLeastOfBest = 0.4;

bool is_about(const SearchHit& hit, const SearchAnswer& answer) {
  if (answer.nothing_relevant) return false;
  const bool all_low = answer.hits.front().confidence == Confidence::low;
  if (hit.confidence == Confidence::low && !all_low) return false;
  return hit.relevance_score >= kLeastOfBest * answer.hits.front().relevance_score;
}

SearchHit hit_of(ExchangeRow row, const TopicExchange& stored) {
  SearchHit hit;
  hit.exchange_id = row.id;
  hit.session_uid = std::move(row.session_uid);
  hit.session_title = std::move(row.session_title);
  hit.platform = row.platform;
  hit.project = stored.project;
  hit.exchange_number = row.number;
  hit.time = row.started_at;
  hit.relevance_score = stored.relevance;
  hit.user_message = std::move(row.user_message);
  const auto answer =
      std::clamp<std::int64_t>(row.answer_offset, 0, static_cast<std::int64_t>(row.assistant_response.size()));
  hit.assistant_response = row.assistant_response.substr(static_cast<std::size_t>(answer));
  hit.is_sidechain = row.is_sidechain;
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
    std::stable_sort(g.by_time.begin(), g.by_time.end(), [](auto* a, auto* b) { return a->time < b->time; });
  }
  std::stable_sort(groups.begin(), groups.end(), [](const TopicGroup& a, const TopicGroup& b) {
    return a.by_time.front()->time < b.by_time.front()->time;
  });
  return groups;
}

}  // namespace

Result<TopicMaterial> gather_topic(Reader& reader, const std::string& topic, const QueryFilter& filter,
                                   const std::function<void()>& embedded) {
  SearchQuery query;
  query.text = topic;
  query.filter = filter;
  query.limit = kTopicExchanges;
  MEMD_TRY_ASSIGN(SearchAnswer answer, reader.search(query, embedded));
  TopicQuery question{topic, filter, {}, kTopicExchanges};
  for (const SearchHit& hit : answer.hits)
    question.found.push_back(hit.exchange_id);
  MEMD_TRY_ASSIGN(TopicFinding stored, reader.ask(question));

  TopicMaterial out;
  out.more = answer.more;
  out.notice = search_notice(answer, query.mode);
  out.names = std::move(stored.names);
  out.related = std::move(stored.related);
  std::unordered_map<ExchangeId, const TopicExchange*> left;
  for (const TopicExchange& e : stored.exchanges)
    left.emplace(e.id, &e);
  for (SearchHit& hit : answer.hits) {
    const auto it = left.find(hit.exchange_id);
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
    const TopicExchange& stored_one = *left.at(row.id);
    out.hits.push_back(hit_of(std::move(row), stored_one));
  }
  std::stable_sort(out.hits.begin(), out.hits.end(),
                   [](const SearchHit& a, const SearchHit& b) { return a.relevance_score > b.relevance_score; });
  out.sessions = grouped(out.hits);
  return out;
}

}  // namespace memd::tools
