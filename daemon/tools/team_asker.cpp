#include "daemon/tools/team_asker.hpp"

#include "daemon/tools/scope.hpp"
#include "schemas/base/error.hpp"
#include "schemas/exchange_name.hpp"
#include "store/db/withheld.hpp"
#include "store/read/team_exchanges.hpp"
#include "store/reader.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <algorithm>
#include <utility>

namespace memd::tools {
namespace {

bool is_asked(const ShareRow& share) {
  return share.invitation.empty() &&
         (share.place.starts_with("postgres://") || share.place.starts_with("postgresql://"));
}

void read_head(team::TeamHit& from, const std::string& project, ExchangeHead& to) {
  to.session_uid = std::move(from.session_uid);
  to.session_title = from.who + ": " + from.title;
  to.platform = parse_platform(from.agent).value_or(Platform::imported);
  to.project = project;
  to.number = from.number;
  to.started_at = from.started_at;
}

// By the features that the database gives: the same words, sums and weights as here.
SearchHit hit_from(team::TeamHit& from, const std::string& project, TimeMs now) {
  SearchHit out;
  RankingFeatures f;
  f.bm25 = from.bm25;
  f.coverage = f.surroundings = from.coverage;
  f.brevity = search::brevity_of(from.length);
  f.recency = search::recency_of(from.started_at, now);
  read_head(from, project, out);
  out.relevance_score = std::clamp(search::fused_score(f, false), 0.0, 1.0);
  const search::EvidenceWeights& weights = search::kEvidenceByWords;
  out.likelihood = search::likelihood(search::evidence(f, weights), weights, false);
  out.confidence = search::confidence_of(out.likelihood);
  out.user_message = std::move(from.question);
  out.assistant_response = std::move(from.answer);
  out.text_bytes = static_cast<std::int64_t>(out.user_message.size() + out.assistant_response.size());
  out.features = f;
  return out;
}

}  // namespace

std::string id_of(const ExchangeHead& exchange) {
  return exchange.id == 0 ? format_exchange_name(exchange.session_uid, exchange.number)
                          : format_exchange_id(exchange.id);
}

TeamAsker::Asking TeamAsker::ask(Reader& reader, const Scope& scope, const ParsedQuery& asked, int most) {
  Asking out{std::chrono::steady_clock::now() + patience_, {}};
  const QueryFilter& filter = scope.filter;
  if (filter.no_platform || !filter.session.empty() || filter.observed || !asked.paths.empty() || !asked.tools.empty())
    return out;
  const SharesInScopeQuery in_scope{asked.project.empty() ? filter.project : asked.project};
  const auto shares = reader.ask(in_scope);
  if (!shares || std::ranges::none_of(*shares, is_asked)) return out;
  const TeamWordsQuery words_of{asked};
  const auto words = reader.ask(words_of);
  if (!words || words->words.empty()) return out;
  team::TeamQuestion question;
  question.words = words->words;
  question.without = words->without;
  question.since = std::max(filter.since, asked.since);
  question.until =
      filter.until == 0 || asked.until == 0 ? std::max(filter.until, asked.until) : std::min(filter.until, asked.until);
  for (const Platform platform : asked.platforms.empty() ? filter.platforms : asked.platforms)
    question.agents.emplace_back(to_string(platform));
  question.most = most;
  for (const ShareRow& share : *shares) {
    if (!is_asked(share)) continue;
    question.project = share.project;
    out.questions.push_back({share.project, inquiries_.ask(share.place, question, patience_)});
  }
  return out;
}

Result<std::vector<team::TeamHit>> TeamAsker::answer(team::TeamInquiry& inquiry,
                                                     team::TeamInquiry::Time deadline) const {
  MEMD_TRY_ASSIGN(auto hits, inquiry.answer(deadline));
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(withheld_));
  const auto texts = withheld->texts();
  std::erase_if(hits, [&](const team::TeamHit& hit) {
    std::vector<redaction::Secret> forgotten;
    texts->find(hit.question, forgotten);
    texts->find(hit.answer, forgotten);
    return !forgotten.empty() || withheld->has_session(hit.session_uid) ||
           withheld->has_exchange(hit.session_uid, hit.number);
  });
  return hits;
}

TeamAsker::Found TeamAsker::found(Reader& reader, Asking asking, const SearchQuery& query) {
  Found out;
  std::vector<std::string> uids;
  for (Question& question : asking.questions) {
    auto hits = answer(question.inquiry, asking.deadline);
    if (!hits) {
      out.left_out.say("What others shared of ", AnswerText::Name{question.project},
                       " was left out: ", AnswerText::Message{hits.error().message()}, ".");
      continue;
    }
    for (team::TeamHit& hit : *hits) {
      uids.push_back(hit.session_uid);
      out.hits.push_back(hit_from(hit, question.project, query.now));
      if (!query.explain) out.hits.back().features.reset();
    }
  }
  const KnownSessionsQuery here{uids};
  const auto known = uids.empty() ? Result<std::vector<std::string>>(uids) : reader.ask(here);
  std::erase_if(out.hits, [&](const SearchHit& hit) {
    return !known || std::find(known->begin(), known->end(), hit.session_uid) != known->end();
  });
  return out;
}

std::optional<ExchangeRow> TeamAsker::look_up(Reader& reader, const ExchangeName& name) {
  const SharesInScopeQuery all{""};
  const auto shares = reader.ask(all);
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (const ShareRow& share : shares ? *shares : std::vector<ShareRow>()) {
    if (!is_asked(share)) continue;
    auto inquiry = inquiries_.look_up(share.place, share.project, name.session, name.number, patience_);
    auto hits = answer(inquiry, deadline);
    if (!hits || hits->empty()) continue;
    ExchangeRow out;
    read_head(hits->front(), share.project, out);
    out.completeness = DataCompleteness::partial;
    out.user_message = std::move(hits->front().question);
    out.assistant_response = std::move(hits->front().answer);
    return out;
  }
  return std::nullopt;
}

}  // namespace memd::tools
