#include "store/search/words/lexical_search.hpp"

#include "store/search/words/match_scorer.hpp"
#include "store/search/words/posting_walk.hpp"
#include "store/search/words/query_parser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace memd::search {
namespace {

constexpr std::size_t kReranked = 200;  // the best by text, whose titles are looked at
constexpr double kSpeakingTitle = 0.6;  // share of the query that a title has to say to be found by itself
constexpr std::size_t kByTitle = 20;    // sessions at most
constexpr double kTitleScore = 0.5;     // of a title that says all
constexpr double kDateWeight = 0.15;

// 1 inside, then less by half for each length of the range (a day at least).
double date_match(const TimeRange& range, TimeMs time) {
  if (time >= range.start && time < range.end) return 1;
  const TimeMs away = time < range.start ? range.start - time : time - range.end;
  return std::exp2(-static_cast<double>(away) / static_cast<double>(std::max(range.end - range.start, kMsPerDay)));
}

}  // namespace

LexicalSearch::LexicalSearch(sqlite::Database& db)
    : db_(db), tokenizer_(db.handle()), statistics_(db), names_(db), titles_(db), places_(db) {}

LexicalQuestion LexicalSearch::understand(const SearchQuery& query, KnownLengths& lengths) {
  LexicalQuestion out;
  out.lengths = &lengths;
  places_.forget();
  out.typed = parse_query(query.text, query.now);
  statistics_.refresh();
  titles_.refresh();
  out.plan = plan_query(out.typed, {tokenizer_, statistics_, names_, titles_});
  return out;
}

LexicalSearch::Found LexicalSearch::candidates(const LexicalQuestion& question, CandidateFilter& filter,
                                               std::size_t count, std::span<const ExchangeId> also) {
  if (question.filters_alone()) return {newest(question, filter, count), {}};
  if (question.plan.empty()) return {{}, score(question, also)};
  const Shares titles = titles_.shares(question.plan);
  // What is reranked is the same however many are wanted.
  PostingWalk walk(statistics_.index(), question.plan, *question.lengths);
  auto [out, scored] = walk.best(filter, std::max(count, kReranked), also);
  add_session_features(question.typed, titles, scored);
  std::vector<Candidate> rest(out.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), kReranked)), out.end());
  out.resize(std::min(out.size(), kReranked));
  const double least = out.size() == kReranked ? out.back().score : 0;
  add_session_features(question.typed, titles, out);
  std::unordered_set<ExchangeId> titled;
  for (const Candidate& candidate : by_title(question, titles, out, filter))
    if (candidate.score >= least) {
      titled.insert(candidate.id);
      out.push_back(candidate);
    }
  std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  for (const Candidate& candidate : rest)
    if (!titled.contains(candidate.id)) out.push_back(candidate);
  out.resize(std::min(out.size(), count));
  return {std::move(out), std::move(scored)};
}

std::vector<LexicalCandidate> LexicalSearch::score(const LexicalQuestion& question, std::span<const ExchangeId> ids) {
  std::vector<LexicalCandidate> out = PostingWalk(statistics_.index(), question.plan, *question.lengths).score(ids);
  if (!question.plan.terms.empty()) add_session_features(question.typed, titles_.shares(question.plan), out);
  return out;
}

void LexicalSearch::add_session_features(const ParsedQuery& typed, const Shares& titles,
                                         std::span<Candidate> candidates) {
  if (titles.empty() && !typed.preferred) return;
  for (Candidate& candidate : candidates) {
    const ExchangePlace* const place = places_.find(candidate.id);
    if (place == nullptr) continue;
    if (const auto title = titles.find(place->session); title != titles.end()) candidate.features.title = title->second;
    if (typed.preferred) candidate.features.date = date_match(*typed.preferred, place->started_at);
    candidate.score += MatchScorer::kTitleWeight * candidate.features.title + kDateWeight * candidate.features.date;
  }
}

// The first exchanges of sessions whose titles say what was asked, unless another of theirs is found.
std::vector<LexicalCandidate> LexicalSearch::by_title(const LexicalQuestion& question, const Shares& titles,
                                                      std::span<const Candidate> found, CandidateFilter& filter) {
  std::vector<std::pair<double, std::int64_t>> speaking;
  for (const auto& [session, share] : titles)
    if (share >= kSpeakingTitle) speaking.emplace_back(share, session);
  std::vector<Candidate> out;
  const bool required = std::any_of(question.plan.terms.begin(), question.plan.terms.end(),
                                    [](const Term& term) { return term.required; });
  if (speaking.empty() || required) return out;
  std::sort(speaking.rbegin(), speaking.rend());
  speaking.resize(std::min(speaking.size(), kByTitle));
  std::unordered_set<std::int64_t> shown;
  for (const Candidate& candidate : found)
    if (const ExchangePlace* const place = places_.find(candidate.id)) shown.insert(place->session);
  auto& first = db_.prepare("SELECT exchange_pk FROM exchanges WHERE session_pk = ?1 ORDER BY exchange_number LIMIT 1");
  for (const auto& [share, session] : speaking) {
    if (shown.contains(session)) continue;
    first.bind(session);
    const ExchangeId id = first.step() ? first.int64(0) : 0;
    first.reset();
    if (id == 0 || !filter.passes(id) || is_excluded(question, id)) continue;
    Candidate& candidate = out.emplace_back(Candidate{id, kTitleScore * share, {}, 0});
    add_session_features(question.typed, titles, std::span(&candidate, 1));
  }
  return out;
}

bool LexicalSearch::is_excluded(const LexicalQuestion& question, ExchangeId id) {
  if (question.plan.excluded.empty()) return false;
  auto& q = db_.prepare("SELECT 1 FROM exchanges_fts WHERE exchanges_fts MATCH ?1 AND rowid = ?2")
                .bind(question.plan.excluded, id);
  const bool found = q.step();
  q.reset();
  return found;
}

std::vector<LexicalCandidate> LexicalSearch::newest(const LexicalQuestion& question, CandidateFilter& filter,
                                                    std::size_t count) {
  std::vector<Candidate> out;
  const auto take = [&](ExchangeId id) {
    if (filter.passes(id) && !is_excluded(question, id)) out.push_back({id, 1.0, {}, 0});
  };
  // Those of a list may all be old: when looking back has cost as much, the list itself is read.
  std::size_t steps = filter.is_list() ? filter.list().size() : std::numeric_limits<std::size_t>::max();
  auto& q = db_.prepare(
                   "SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2"
                   " ORDER BY started_at DESC, exchange_pk DESC")
                .bind(filter.since(), filter.until());
  while (out.size() < count && steps > 0 && q.step()) {
    --steps;
    take(q.int64(0));
  }
  if (steps == 0 && out.size() < count) {
    out.clear();
    std::vector<std::pair<TimeMs, ExchangeId>> listed;
    for (const ExchangeId id : filter.list())
      if (const ExchangePlace* const place = places_.find(id)) listed.emplace_back(place->started_at, id);
    std::sort(listed.rbegin(), listed.rend());
    for (auto it = listed.begin(); it != listed.end() && out.size() < count; ++it)
      take(it->second);
  }
  q.reset();
  return out;
}

}  // namespace memd::search
