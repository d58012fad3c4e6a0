#include "daemon/tools/team_asker.hpp"

#include "daemon/tools/scope.hpp"
#include "schemas/base/error.hpp"
#include "schemas/exchange_name.hpp"
#include "store/db/withheld.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/read/team_exchanges.hpp"
#include "store/reader.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/cosine_scale.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
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

double score_of(const RankingFeatures& f, bool by_meaning) {
  return std::clamp(search::fused_score(f, by_meaning), 0.0, 1.0);
}

double likelihood_of(const RankingFeatures& f, bool by_meaning) {
  const search::EvidenceWeights& weights = by_meaning ? search::kEvidenceByCosine : search::kEvidenceByWords;
  return search::likelihood(search::evidence(f, weights), weights, false);
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

// Adds what a question by meaning found. `also_others`: exchanges, too, that are not among the hits.
void join(const std::string& project, std::vector<team::TeamNeighbour> near, bool also_others,
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
      if (!also_others || z < search::kLeastZ) continue;
      team::TeamHit fresh{std::move(static_cast<team::TeamTurn&>(one))};
      fresh.length = one.length;
      hit = hits.emplace(hits.end(), project, std::move(fresh));
    }
    hit->second.cosine = one.cosine;
    hit->second.dense_z = z;
  }
}

SearchHit hit_from(team::TeamHit& from, const std::string& project, TimeMs now, const RankingFeatures& mean) {
  SearchHit out;
  RankingFeatures f = features_of(from, from.started_at, now);
  const bool by_meaning = from.cosine.has_value();
  if (by_meaning) {
    f.cosine = *from.cosine;
    f.dense_z = from.dense_z;
    f.tokens = mean.tokens;
    f.second_look = mean.second_look;
  }
  read_head(from, project, out);
  out.relevance_score = score_of(f, by_meaning);
  out.likelihood = likelihood_of(f, by_meaning);
  out.confidence = search::confidence_of(out.likelihood);
  out.user_message = std::move(from.question);
  out.assistant_response = std::move(from.answer);
  out.text_bytes = static_cast<std::int64_t>(out.user_message.size() + out.assistant_response.size());
  out.features = f;
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
  out.relevance_score = has_words ? score_of(f, false) : 1;
  out.confidence = has_words ? search::confidence_of(likelihood_of(f, false)) : Confidence::high;
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

TeamAsker::Asking<team::TeamHit> TeamAsker::ask(Reader& reader, const Scope& scope, const ParsedQuery& asked,
                                                int most) {
  auto conditions = conditions_of(scope.filter, most);
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
  const TeamWordsQuery words_of{asked};
  const auto words = reader.ask(words_of);
  if (!words || words->words.empty()) return {};
  return ask_all(reader, project, *conditions, team::TeamSearch{words->words, words->without});
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

TeamAsker::Found TeamAsker::found(Reader& reader, Asking<team::TeamHit> asking, const SearchQuery& query,
                                  std::span<const SearchHit> here) {
  Found out;
  team::TeamNear near;
  if (by_meaning_ && query.mode != SearchMode::lexical) {
    near.model = embedding::builtin_embedder().model().name;
    vectors::append_quantised(embedding::builtin_embedder().table().embed(query.asked.meaning), near.vector);
    const TeamWordsQuery words_of{query.asked};
    if (auto words = reader.ask(words_of)) near.without = std::move(words->without);
  }
  Asking<team::TeamNeighbour> nearest{asking.deadline, {}};
  const auto ask_what_they_mean = [&](const auto& question, const std::vector<team::TeamHit>& rows) {
    if (vectors::inverse_length(near.vector) == 0) return;
    near.session_uids.clear();
    near.numbers.clear();
    for (const team::TeamHit& row : rows) {
      near.session_uids.push_back(row.session_uid);
      near.numbers.push_back(row.number);
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(nearest.deadline - std::chrono::steady_clock::now());
    nearest.questions.push_back(
        {question.place, question.scope,
         inquiries_.ask(question.place, question.scope, near, std::max(left, std::chrono::milliseconds(1)))});
  };
  std::vector<ProjectHit> rows = received<team::TeamHit>(std::move(asking), out.left_out, ask_what_they_mean);
  const bool has_phrase = std::ranges::any_of(query.asked.wanted, &QueryText::quoted);
  for (auto& question : nearest.questions) {
    auto found = answer(question.inquiry, nearest.deadline);
    if (found)
      join(question.scope.project, std::move(*found), !has_phrase, rows);
    else if (!found.error().is(Errc::unsupported))
      out.left_out.say("What others shared of ", AnswerText::Name{question.scope.project},
                       " was searched by words alone: ", AnswerText::Message{found.error().message()}, ".");
  }
  remove_known(reader, rows);
  const RankingFeatures mean = compared_here(here);
  for (auto& [project, row] : rows)
    out.hits.push_back(hit_from(row, project, query.now, mean));
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
