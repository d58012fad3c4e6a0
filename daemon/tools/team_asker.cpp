#include "daemon/tools/team_asker.hpp"

#include "daemon/tools/scope.hpp"
#include "schemas/base/error.hpp"
#include "schemas/exchange_name.hpp"
#include "store/db/withheld.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/read/team_exchanges.hpp"
#include "store/reader.hpp"
#include "store/search/rank/phrasing_fusion.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/cosine_scale.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace memd::tools {
namespace {

bool is_asked(const ShareRow& share) {
  return share.invitation.empty() &&
         (share.place.starts_with("postgres://") || share.place.starts_with("postgresql://"));
}

std::optional<Platform> platform_of(const team::TeamHead& row) { return parse_platform(row.agent); }

void read_head(const team::TeamHead& from, const std::string& project, ExchangeHead& to) {
  to.session_uid = from.session_uid;
  to.session_title = title_of(from);
  to.platform = platform_of(from).value_or(Platform::imported);
  to.project = project;
  to.number = from.number;
  to.started_at = from.started_at;
}

// By what the database gives: the same words, sums and weights as here.
template <class Hit>
RankingFeatures features_of(const Hit& hit, TimeMs time, TimeMs now) {
  RankingFeatures f;
  f.bm25 = hit.bm25;
  f.coverage = f.surroundings = hit.coverage;
  f.brevity = search::brevity_of(hit.length);
  f.recency = search::recency_of(time, now);
  return f;
}

const search::EvidenceWeights& weights_of(bool by_meaning) {
  return by_meaning ? search::kEvidenceByCosine : search::kEvidenceByWords;
}

// What only hits of the store are compared by, in the mean.
RankingFeatures compared_here(std::span<const SearchHit> hits) {
  RankingFeatures out;
  for (const SearchHit& hit : hits) {
    if (!hit.features) continue;
    out.tokens += hit.features->tokens / static_cast<double>(hits.size());
    out.second_look += hit.features->second_look / static_cast<double>(hits.size());
  }
  return out;
}

using ProjectHit = std::pair<std::string, team::TeamHit>;

// Adds what a question by meaning found. `least_z`: of exchanges that are not among the hits; nullopt: none of them.
void join(const std::string& project, std::vector<team::TeamNeighbour> near, std::optional<double> least_z,
          std::vector<ProjectHit>& hits) {
  for (team::TeamNeighbour& one : near) {
    const vectors::CosineScale scale({.nearest = {{0, 0, static_cast<float>(one.highest)}},
                                      .also = {},
                                      .also_chunks = {},
                                      .mean = one.mean,
                                      .deviation = one.deviation,
                                      .scanned = one.sample});
    const double z = scale.z(static_cast<float>(one.cosine));
    auto hit = std::ranges::find_if(hits, [&](const ProjectHit& known) {
      return known.first == project && known.second.session_uid == one.session_uid && known.second.number == one.number;
    });
    if (hit == hits.end()) {
      if (!least_z || z < *least_z) continue;
      team::TeamHit fresh{std::move(static_cast<team::TeamTurn&>(one))};
      fresh.length = one.length;
      hit = hits.emplace(hits.end(), project, std::move(fresh));
    }
    hit->second.cosine = one.cosine;
    hit->second.dense_z = z;
  }
}

search::FusionCandidate candidate_from(const team::TeamHit& from, TimeMs now, bool by_cosine,
                                       const RankingFeatures& mean) {
  search::FusionCandidate out;
  RankingFeatures& f = out.features = features_of(from, from.started_at, now);
  const bool by_meaning = from.cosine.has_value();
  if (by_meaning) {
    f.cosine = *from.cosine;
    f.dense_z = from.dense_z;
    f.tokens = mean.tokens;
    f.second_look = mean.second_look;
  }
  out.score = by_cosine ? f.cosine : search::fused_score(f, by_meaning);
  out.evidence = search::evidence(f, weights_of(by_meaning));
  return out;
}

// `several`: phrasings were ranked together.
SearchHit hit_from(ProjectHit& from, const search::FusionCandidate& ranked, bool several) {
  auto& [project, row] = from;
  SearchHit out;
  read_head(row, project, out);
  out.relevance_score = std::clamp(ranked.score, 0.0, 1.0);
  out.likelihood = search::likelihood(ranked.evidence, weights_of(row.cosine.has_value()), several);
  out.confidence = search::confidence_of(out.likelihood);
  out.user_message = std::move(row.question);
  out.assistant_response = std::move(row.answer);
  out.text_bytes = static_cast<std::int64_t>(out.user_message.size() + out.assistant_response.size());
  out.found_by = ranked.found_by;
  out.features = ranked.features;
  return out;
}

catalog::MemoryHit memory_from(team::TeamMemoryHit& from, const std::string& project, TimeMs now) {
  catalog::MemoryHit out;
  const bool has_words = from.coverage > 0;  // else they are the newest
  const RankingFeatures f = features_of(from, from.updated, now);
  out.slug = std::move(from.slug);
  out.type = parse_memory_type(from.type).value_or(MemoryType::note);
  out.title = from.who + ": " + from.title;
  std::istringstream tags(from.tags);
  for (std::string tag; tags >> tag;)
    out.tags.push_back(tag);
  out.updated = from.updated;
  out.scope = MemoryScope::project;
  out.project = project;
  const double evidence = search::evidence(f, weights_of(false));
  out.relevance_score = has_words ? std::clamp(search::fused_score(f, false), 0.0, 1.0) : 1;
  out.confidence =
      has_words ? search::confidence_of(search::likelihood(evidence, weights_of(false), false)) : Confidence::high;
  out.snippet = std::move(from.content);
  return out;
}

ExchangeRow row_from(team::TeamTurn& from, const std::string& project) {
  ExchangeRow out;
  read_head(from, project, out);
  out.completeness = DataCompleteness::partial;
  out.user_message = std::move(from.question);
  out.assistant_response = std::move(from.answer);
  return out;
}

// The wordings of a search, as the store's search reads them.
std::vector<ParsedQuery> phrasings_of(const SearchQuery& query) {
  std::vector<ParsedQuery> out{query.asked};
  for (const std::string& text : query.asked.wanted.empty() ? std::vector<std::string>() : query.also) {
    out.push_back(search::parse_query(text, query.now, search::Operators::as_words));
    out.back().excluded = query.asked.excluded;
  }
  return out;
}

// The conditions of a scope; nullopt: some that no database knows are among them.
std::optional<team::TeamScope> conditions_of(const QueryFilter& filter, int most) {
  if (filter.no_platform || !filter.session.empty() || filter.observed) return std::nullopt;
  team::TeamScope out;
  out.since = filter.since;
  out.until = filter.until;
  for (const Platform platform : filter.platforms)
    out.agents.emplace_back(to_string(platform));
  out.most = most;
  return out;
}

std::array<std::string_view, 2> texts_of(const team::TeamTurn& row) { return {row.question, row.answer}; }
std::array<std::string_view, 1> texts_of(const team::TeamFinding& row) { return {row.content}; }
std::array<std::string_view, 2> texts_of(const team::TeamMemoryHit& row) { return {row.title, row.content}; }

bool is_forgotten(const Withheld& withheld, const team::TeamHead& row) {
  return withheld.has_session(row.session_uid) || withheld.has_exchange(row.session_uid, row.number);
}
bool is_forgotten(const Withheld&, const team::TeamMemoryHit&) { return false; }

// Of sessions that are here, too.
template <class Row>
void remove_known(Reader& reader, std::vector<std::pair<std::string, Row>>& rows) {
  std::vector<std::string> uids;
  for (const auto& [project, row] : rows)
    uids.push_back(row.session_uid);
  const KnownSessionsQuery here{uids};
  const auto known = uids.empty() ? Result<std::vector<std::string>>(uids) : reader.ask(here);
  std::erase_if(rows, [&](const auto& row) {
    return !known || std::find(known->begin(), known->end(), row.second.session_uid) != known->end();
  });
}

}  // namespace

std::string title_of(const team::TeamHead& exchange) { return exchange.who + ": " + exchange.title; }

template <class Question>
TeamAsker::Asking<typename Question::Row> TeamAsker::ask_all(Reader& reader, const std::string& project,
                                                             team::TeamScope scope, const Question& question) {
  Asking<typename Question::Row> out{std::chrono::steady_clock::now() + patience_, {}};
  const SharesInScopeQuery in_scope{project};
  const auto shares = reader.ask(in_scope);
  for (const ShareRow& share : shares ? *shares : std::vector<ShareRow>()) {
    if (!is_asked(share)) continue;
    scope.project = share.project;
    out.questions.push_back({share.place, scope, inquiries_.ask(share.place, scope, question, patience_)});
  }
  return out;
}

std::vector<TeamAsker::Asking<team::TeamHit>> TeamAsker::ask(Reader& reader, const Scope& scope,
                                                             const SearchQuery& query) {
  const ParsedQuery& asked = query.asked;
  auto conditions = conditions_of(scope.filter, query.limit);
  if (!conditions || !asked.paths.empty() || !asked.tools.empty()) return {};
  conditions->since = std::max(conditions->since, asked.since);
  if (conditions->until == 0 || (asked.until != 0 && asked.until < conditions->until)) conditions->until = asked.until;
  if (!asked.platforms.empty()) {
    conditions->agents.clear();
    for (const Platform platform : asked.platforms)
      conditions->agents.emplace_back(to_string(platform));
  }
  const std::string& project = asked.project.empty() ? scope.filter.project : asked.project;
  const SharesInScopeQuery in_scope{project};
  const auto shares = reader.ask(in_scope);
  if (!shares || std::ranges::none_of(*shares, is_asked)) return {};
  std::vector<Asking<team::TeamHit>> out;
  for (const ParsedQuery& phrasing : phrasings_of(query)) {
    const TeamWordsQuery words_of{phrasing};
    const auto words = reader.ask(words_of);
    if (words && !words->words.empty())
      out.push_back(ask_all(reader, project, *conditions, team::TeamSearch{words->words, words->without}));
    else
      out.emplace_back();
  }
  return out;
}

TeamAsker::Asking<team::TeamFileUse> TeamAsker::ask_for_changes(Reader& reader, const Scope& scope,
                                                                const std::string& path, int most) {
  const auto conditions = conditions_of(scope.filter, most);
  if (!conditions) return {};
  return ask_all(reader, scope.filter.project, *conditions, team::TeamFileHistory{path});
}

TeamAsker::Asking<team::TeamFinding> TeamAsker::ask_for_observations(Reader& reader, const Scope& scope,
                                                                     const std::string& type, int most) {
  const auto conditions = conditions_of(scope.filter, most);
  if (!conditions) return {};
  return ask_all(reader, scope.filter.project, *conditions, team::TeamObservations{type});
}

TeamAsker::Asking<team::TeamMemoryHit> TeamAsker::ask_for_memories(Reader& reader, const std::string& project,
                                                                   const ParsedQuery& asked, std::string_view type,
                                                                   int most) {
  const TeamWordsQuery words_of{asked};
  const auto words = reader.ask(words_of);
  if (!words || (words->words.empty() && !asked.wanted.empty())) return {};
  team::TeamScope scope;
  scope.most = most;
  return ask_all(reader, project, scope, team::TeamMemories{words->words, words->without, std::string(type)});
}

template <class Row>
Result<std::vector<Row>> TeamAsker::answer(team::TeamInquiry<Row>& inquiry,
                                           std::chrono::steady_clock::time_point deadline) const {
  MEMD_TRY_ASSIGN(auto rows, inquiry.answer(deadline));
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(withheld_));
  const auto texts = withheld->texts();
  std::erase_if(rows, [&](const Row& row) {
    std::vector<redaction::Secret> forgotten;
    for (const std::string_view text : texts_of(row))
      texts->find(text, forgotten);
    return !forgotten.empty() || is_forgotten(*withheld, row);
  });
  return rows;
}

template <class Row>
std::vector<std::pair<std::string, Row>> TeamAsker::received(Asking<Row> asking, AnswerText& left_out,
                                                             const Answered<Row>& answered) const {
  std::vector<std::pair<std::string, Row>> out;
  for (auto& question : asking.questions) {
    auto rows = answer(question.inquiry, asking.deadline);
    if (!rows)
      left_out.say("What others shared of ", AnswerText::Name{question.scope.project},
                   " was left out: ", AnswerText::Message{rows.error().message()}, ".");
    if (rows && answered) answered(question, *rows);
    for (Row& row : rows ? *rows : std::vector<Row>())
      out.emplace_back(question.scope.project, std::move(row));
  }
  return out;
}

template <class Row>
TeamAsker::Answers<Row> TeamAsker::answers(Reader& reader, Asking<Row> asking) const {
  Answers<Row> out;
  out.rows = received(std::move(asking), out.left_out);
  remove_known(reader, out.rows);
  return out;
}

template TeamAsker::Answers<team::TeamFileUse> TeamAsker::answers(Reader&, Asking<team::TeamFileUse>) const;
template TeamAsker::Answers<team::TeamFinding> TeamAsker::answers(Reader&, Asking<team::TeamFinding>) const;

TeamAsker::Found TeamAsker::found(Reader& reader, std::vector<Asking<team::TeamHit>> askings, const SearchQuery& query,
                                  std::span<const SearchHit> here) {
  Found out;
  const std::vector<ParsedQuery> phrasings = phrasings_of(query);
  std::vector<std::vector<ProjectHit>> rows;  // by phrasing, as all below
  std::vector<Asking<team::TeamNeighbour>> nearest;
  AnswerText told_before;  // of another phrasing
  for (std::size_t i = 0; i < askings.size(); ++i) {
    team::TeamNear near;
    if (by_meaning_ && query.mode != SearchMode::lexical) near = near_of(reader, phrasings[i]);
    nearest.push_back({askings[i].deadline, {}});
    const auto ask_what_they_mean = [&](const auto& question, const std::vector<team::TeamHit>& hits) {
      if (vectors::inverse_length(near.vector) == 0) return;
      near.session_uids.clear();
      near.numbers.clear();
      for (const team::TeamHit& hit : hits) {
        near.session_uids.push_back(hit.session_uid);
        near.numbers.push_back(hit.number);
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(nearest.back().deadline -
                                                                              std::chrono::steady_clock::now());
      nearest.back().questions.push_back(
          {question.place, question.scope,
           inquiries_.ask(question.place, question.scope, near, std::max(left, std::chrono::milliseconds(1)))});
    };
    rows.push_back(received<team::TeamHit>(std::move(askings[i]), out.left_out.empty() ? out.left_out : told_before,
                                           ask_what_they_mean));
  }
  const bool by_cosine = by_meaning_ && query.mode == SearchMode::semantic;
  std::set<std::string> late;  // projects
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    std::optional<double> least_z(by_cosine ? -std::numeric_limits<double>::infinity() : search::kLeastZ);
    if (std::ranges::any_of(phrasings[i].wanted, &QueryText::quoted)) least_z.reset();
    for (auto& question : nearest[i].questions) {
      const std::string& project = question.scope.project;
      auto found = answer(question.inquiry, nearest[i].deadline);
      if (found)
        join(project, std::move(*found), least_z, rows[i]);
      else if (!found.error().is(Errc::unsupported) && late.insert(project).second)
        out.left_out.say("What others shared of ", AnswerText::Name{project},
                         by_cosine ? AnswerText(" was left out: ") : AnswerText(" was searched by words alone: "),
                         AnswerText::Message{found.error().message()}, ".");
    }
    if (by_cosine) std::erase_if(rows[i], [](const ProjectHit& hit) { return !hit.second.cosine; });
    remove_known(reader, rows[i]);
  }
  const RankingFeatures mean = compared_here(here);
  std::vector<ProjectHit> all;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> places;  // in `all`
  std::vector<std::vector<search::FusionCandidate>> lists(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (ProjectHit& hit : rows[i]) {
      auto& [project, row] = hit;
      search::FusionCandidate candidate = candidate_from(row, query.now, by_cosine, mean);
      const auto [at, is_new] = places.try_emplace({project, row.session_uid, row.number}, all.size());
      candidate.id = static_cast<ExchangeId>(at->second);
      lists[i].push_back(candidate);
      if (is_new)
        all.push_back(std::move(hit));
      else if (!all[at->second].second.cosine)
        all[at->second].second.cosine = row.cosine;
    }
    std::ranges::sort(lists[i], search::ranks_before);
  }
  for (const search::FusionCandidate& ranked : search::fuse(lists))
    out.hits.push_back(hit_from(all[static_cast<std::size_t>(ranked.id)], ranked, lists.size() > 1));
  return out;
}

team::TeamNear TeamAsker::near_of(Reader& reader, const ParsedQuery& phrasing) {
  team::TeamNear out;
  out.model = embedding::builtin_embedder().model().name;
  vectors::append_quantised(embedding::builtin_embedder().table().embed(phrasing.meaning), out.vector);
  const TeamWordsQuery words_of{phrasing};
  if (auto words = reader.ask(words_of)) out.without = std::move(words->without);
  return out;
}

TeamAsker::Remembered TeamAsker::remembered(Reader& reader, Asking<team::TeamMemoryHit> asking, TimeMs now) const {
  Remembered out;
  for (auto& [project, row] : received(std::move(asking), out.left_out)) {
    if (!is_memory_slug(row.slug) && !is_document_id(row.slug)) continue;  // it goes into a call
    const catalog::MemoriesOfSlug of_slug{row.slug, project};
    const auto here = reader.ask(of_slug);
    const auto is_of_project = [](const catalog::MemoryHit& one) { return one.scope == MemoryScope::project; };
    if (here && std::ranges::none_of(*here, is_of_project)) out.hits.push_back(memory_from(row, project, now));
  }
  return out;
}

std::optional<ExchangeRow> TeamAsker::look_up(Reader& reader, const ExchangeName& name) {
  auto rows = turns(reader, name.session, name.number + 1, 1);
  if (rows.empty() || rows.front().number != name.number) return std::nullopt;
  return std::move(rows.front());
}

std::optional<catalog::MemoryHit> TeamAsker::look_up(Reader& reader, const std::string& project,
                                                     const std::string& slug) {
  std::optional<catalog::MemoryHit> out;
  auto asking = ask_all(reader, project, {}, team::TeamMemoryOfSlug{slug});
  for (auto& question : asking.questions) {
    auto rows = answer(question.inquiry, asking.deadline);
    if (rows && !rows->empty() && (!out || rows->front().updated > out->updated))
      out = memory_from(rows->front(), question.scope.project, 0);
  }
  return out;
}

std::vector<ExchangeRow> TeamAsker::turns(Reader& reader, const std::string& session_uid, std::int64_t before,
                                          int most) {
  team::TeamScope scope;
  scope.most = most;
  auto asking = ask_all(reader, "", scope, team::TeamTurns{session_uid, before});
  std::vector<ExchangeRow> out;
  for (auto& question : asking.questions) {
    auto rows = answer(question.inquiry, asking.deadline);
    if (!rows || rows->empty()) continue;
    for (auto row = rows->rbegin(); row != rows->rend(); ++row)
      out.push_back(row_from(*row, question.scope.project));
    break;
  }
  return out;
}

}  // namespace memd::tools
