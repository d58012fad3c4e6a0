#include "store/harvest/suggestions.hpp"

#include "store/harvest/draft.hpp"
#include "store/harvest/suggestion_score.hpp"
#include "store/read/observations.hpp"
#include "store/text/text_words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace memd::harvest {
namespace {

constexpr std::size_t kOfOneExchange = 2;
constexpr double kToldAgain = 0.4;  // points per session that states the same, counted at most twice
constexpr double kSameThing = 0.62;
constexpr std::size_t kTellingTitle = 4;  // words; a shorter title is not informative
constexpr double kPaleTitle = -1;
constexpr int kOfOneSession = 2;
constexpr double kOneMoreOfASession = -0.25;  // points per suggestion of a session beyond these, for variety
constexpr double kLikelyLink = 0.55;
constexpr int kAllRows = 1'000'000;

bool may_be_one(ObservationType type) {
  return type == ObservationType::decision || type == ObservationType::problem || type == ObservationType::solution ||
         type == ObservationType::bugfix || type == ObservationType::discovery || type == ObservationType::warning ||
         type == ObservationType::pattern;
}

// Returns the suggestions of one exchange; a problem is combined with its fix.
std::vector<Suggestion> of_exchange(const Material& material, const std::filesystem::path& project) {
  std::vector<Suggestion> out;
  std::set<std::size_t> told;
  for (std::size_t i = 0; i < material.observations.size(); ++i) {
    const Observation& o = material.observations[i];
    if (!may_be_one(o.type) || !o.tool.empty()) continue;
    SuggestionScore rating = score_suggestion(material, i);
    if (rating.score < kSuggestFrom) continue;
    Suggestion one;
    one.id = format_observation_id(o.id);
    one.exchange = material.exchange.id;
    one.session_uid = material.exchange.session_uid;
    one.time = o.time;
    one.score = rating.score;
    one.reasons = std::move(rating.reasons);
    Material of = material;
    of.told = i;
    one.draft = draft_of(of, {MemoryDialect::plugin, std::nullopt, {}, project});
    if (content_words(one.draft.title) < kTellingTitle) one.score += kPaleTitle;
    if (one.score >= kSuggestFrom) out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<Suggestion> kept;
  for (Suggestion& one : out) {
    const Likeness whole(one.draft.title);
    const bool again = std::any_of(kept.begin(), kept.end(), [&](const Suggestion& other) {
      return one.draft.content == other.draft.content || Likeness(other.draft.title).with(whole) >= kSameThing;
    });
    if (!again && kept.size() < kOfOneExchange) kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace

std::vector<Suggestion> SuggestionsQuery::run(sqlite::Database& db) const {
  std::vector<std::pair<ExchangeId, std::string>> exchanges;
  std::set<ExchangeId> seen;
  ObservationListQuery list{filter, std::nullopt, kAllRows, 0};
  for (const ObservationRow& row : list.run(db).observations)
    if (may_be_one(row.observation.type) && row.exchange_id != 0 && seen.insert(row.exchange_id).second)
      exchanges.emplace_back(row.exchange_id, row.project);
  std::vector<Suggestion> all;
  for (const auto& [exchange, name] : exchanges)
    for (Suggestion& one : of_exchange(MaterialQuery{{exchange, 0}}.run(db), project)) {
      one.project = name;
      all.push_back(std::move(one));
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<Suggestion> out;
  std::vector<Likeness> titles;
  std::vector<std::set<std::string>> sessions;
  for (Suggestion& one : all) {
    const Likeness title(one.draft.title);
    const auto same = std::find_if(titles.begin(), titles.end(),
                                   [&](const Likeness& other) { return other.with(title) >= kSameThing; });
    if (same == titles.end()) {
      titles.push_back(title);
      sessions.push_back({one.session_uid});
      out.push_back(std::move(one));
      continue;
    }
    const auto at = static_cast<std::size_t>(same - titles.begin());
    if (sessions[at].insert(one.session_uid).second && ++out[at].told_again <= 2) out[at].score += kToldAgain;
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  std::map<std::string, int> of_session;
  for (Suggestion& one : out)
    one.score += kOneMoreOfASession * std::max(0, ++of_session[one.session_uid] - kOfOneSession);
  for (Suggestion& one : out)
    if (one.told_again > 0) one.reasons.push_back("said in " + std::to_string(one.told_again + 1) + " sessions");
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  return out;
}

std::vector<Suggestion> not_known(std::vector<Suggestion> all, const KnownMemories& known, std::size_t most) {
  std::vector<Suggestion> out;
  for (Suggestion& one : all) {
    if (out.size() == most) break;
    if (known.similar_to(one.draft).empty()) out.push_back(std::move(one));
  }
  return out;
}

std::vector<LinkSuggestion> suggest_links(const std::vector<Memory>& memories, std::size_t most) {
  std::vector<Likeness> texts;
  texts.reserve(memories.size());
  for (const Memory& m : memories)
    texts.emplace_back(m.title + "\n" + m.content.substr(0, 2000));
  const auto names = [](const Memory& a, const Memory& b) {
    return std::find(a.links.begin(), a.links.end(), b.slug) != a.links.end() ||
           std::any_of(a.relations.begin(), a.relations.end(), [&](const auto& r) { return r.target == b.slug; });
  };
  std::vector<LinkSuggestion> out;
  for (std::size_t i = 0; i < memories.size(); ++i)
    for (std::size_t k = i + 1; k < memories.size(); ++k) {
      const Memory& a = memories[i];
      const Memory& b = memories[k];
      if (a.scope != b.scope || a.dialect != b.dialect || a.dialect == MemoryDialect::agent || names(a, b) ||
          names(b, a))
        continue;
      LinkSuggestion one{{}, a.slug, b.slug, a.scope, a.dialect, 0, {}};
      if (const double like = texts[i].with(texts[k]); like >= kLikelyLink) {
        one.score += like;
        one.reasons.push_back("they are about the same topic");
      }
      for (const std::string& file : a.provenance.files)
        if (std::find(b.provenance.files.begin(), b.provenance.files.end(), file) != b.provenance.files.end()) {
          one.score += 0.5;
          one.reasons.push_back("both name " + file);
          break;
        }
      if (!a.provenance.session.empty() && a.provenance.session == b.provenance.session) {
        one.score += 0.3;
        one.reasons.push_back("both come from one session");
      }
      if (one.score < 0.5) continue;
      if (one.target < one.source) std::swap(one.source, one.target);
      one.id = one.source + "+" + one.target;
      out.push_back(std::move(one));
    }
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.score > y.score; });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace memd::harvest
