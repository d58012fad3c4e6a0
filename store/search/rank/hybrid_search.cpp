#include "store/search/rank/hybrid_search.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_titles.hpp"
#include "store/read/sessions.hpp"
#include "store/search/rank/phrasing_fusion.hpp"
#include "store/search/vectors/cosine_scale.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/script.hpp"
#include "store/text/text_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace memd::search {
namespace {

const std::string kSql = "SELECT" + std::string(queries::kTitleColumns) + std::string(queries::kSessionHeadColumns) +
                         std::string(queries::kExchangeHeadColumns) + R"(,
  e.user_message, e.interventions, e.assistant_response, e.tool_text, e.answer_offset, e.data_completeness
  FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk)" +
                         std::string(queries::kProjectOfSession) + "WHERE e.exchange_pk = ?1";

// Returns the text of a chunk; empty when the exchange has changed and no longer has such a chunk.
std::string chunk_of(const std::array<std::string_view, 4>& texts, std::int64_t answer_offset, int chunk) {
  if (chunk < 0) return {};
  const auto answer = std::clamp<std::int64_t>(answer_offset, 0, static_cast<std::int64_t>(texts[2].size()));
  return enrichment::chunk_at({texts[0], texts[2], texts[1], static_cast<std::size_t>(answer)},
                              static_cast<std::size_t>(chunk));
}

// Loads the texts of a ranked exchange, but not its score. Takes the snippet from the given chunk of its text
// (enrichment::chunks_of) if it still exists. Returns a hit without session_uid when there is no such exchange, or none
// with a session.
SearchHit load_hit(sqlite::Database& db, const PassageFinder& passages, ExchangeId id, int chunk) {
  SearchHit hit;
  hit.id = id;
  auto& q = db.query(kSql, id);
  const auto row = q.row();
  if (!row) return hit;
  queries::read_head(q, hit);
  const std::array<std::string_view, 4> texts{q.text(10), q.text(11), q.text(12), q.text(13)};
  hit.user_message = texts[0];
  hit.is_evicted = static_cast<DataCompleteness>(q.int64(15)) == DataCompleteness::metadata_only;
  const auto answer = std::clamp<std::int64_t>(q.int64(14), 0, static_cast<std::int64_t>(texts[2].size()));
  hit.assistant_response = texts[2].substr(static_cast<std::size_t>(answer));
  hit.text_bytes = static_cast<std::int64_t>(texts[0].size() + texts[1].size() + texts[2].size());
  const std::string stretch = chunk_of(texts, answer, chunk);
  Passage passage = passages.best(stretch.empty() ? texts : std::array<std::string_view, 4>{stretch, {}, {}, {}});
  hit.snippet = std::move(passage.text);
  hit.matches = std::move(passage.matches);
  return hit;
}

constexpr std::size_t kByWords = 200;       // lexical candidates ranked by all features
constexpr std::size_t kByMeaning = 100;     // semantic candidates ranked with them
constexpr std::size_t kLookedAt = 50;       // best candidates whose rows are read
constexpr std::size_t kCompared = 50;       // best candidates compared token by token, and by the second look
constexpr std::size_t kMostAlso = 31;       // further phrasings; each has a bit in SearchHit::found_by
constexpr double kLeastOpen = 0.05;         // least share of the query that the best hit lacks, for a second look
constexpr double kAllWords = 0.99;          // least coverage of a text that can contain the query verbatim
constexpr std::size_t kLeastDistinct = 50;  // least number of distinct hits collected; copies are counted on the way
// The snippet shows the nearest chunk instead of the matching words of a hit with at least this standardised cosine and
// less than this coverage.
constexpr double kTellingZ = 3;
constexpr double kTellingCoverage = 0.5;

FusionCandidate of_words(const LexicalCandidate& found) {
  FusionCandidate out;
  out.id = found.id;
  out.features = found.features;
  out.terms = found.terms;
  out.score = found.score;
  return out;
}

// Appends those that are not in the list, none of them before its last.
template <class Found, class As>
void append_rest(std::vector<FusionCandidate>& list, std::span<Found> rest, As as) {
  std::unordered_set<ExchangeId> known;
  for (const FusionCandidate& c : list)
    known.insert(c.id);
  const double least = list.empty() ? 1 : list.back().score;
  for (const auto& one : rest) {
    if (known.contains(one.id)) continue;
    list.push_back(as(one));
    list.back().score = std::min(least, one.score);
  }
}

std::vector<double> shares_of(const QueryPlan& plan) {
  std::vector<double> out;
  for (const Term& term : plan.terms)
    out.push_back(plan.total_idf > 0 ? term.idf / plan.total_idf : 0);
  return out;
}

bool by_meaning(const SemanticQuestion& question) {
  return question.index != nullptr && !question.vector.vector.empty();
}

// Whether the network of the second look can say something of the question. It needs some words, and knows those of
// Latin script.
bool is_for_second_look(const LexicalQuestion& words) {
  constexpr std::size_t kLeastWords = 3;
  constexpr std::uint32_t kAfterLatin = 0x250;
  if (words.plan.terms.size() + words.plan.unknown.size() < kLeastWords) return false;
  for (const QueryText& piece : words.typed.wanted)
    for (std::size_t at = 0; at < piece.text.size();)
      if (const auto c = tokenizer::next_character(piece.text, at); c >= kAfterLatin && tokenizer::is_word_character(c))
        return false;
  return true;
}

// Returns whether the text contains `phrase` with neither end inside a longer ASCII word. Other characters need no word
// border, because some scripts have no blanks.
bool contains_verbatim(std::string_view text, std::string_view phrase) {
  if (phrase.empty()) return false;
  for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    const bool starts = at == 0 || !ascii::is_word(phrase.front()) || !ascii::is_word(text[at - 1]);
    const bool ends = end == text.size() || !ascii::is_word(phrase.back()) || !ascii::is_word(text[end]);
    if (starts && ends) return true;
  }
  return false;
}

// Raises scores so that they fall from first to last: a verbatim match gets at least the score of the next candidate.
void make_scores_monotonic(std::vector<FusionCandidate>& ranked) {
  double least = 0;
  for (auto c = ranked.rbegin(); c != ranked.rend(); ++c)
    least = c->score = std::max(least, c->score);
}

// Returns a bit mask of the required terms. A plan has them first, so 64 bits are enough.
std::uint64_t required_terms(const QueryPlan& plan) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(plan.terms.size(), 64); ++i)
    if (plan.terms[i].required) out |= std::uint64_t{1} << i;
  return out;
}

}  // namespace

struct HybridSearch::CosineScale : vectors::CosineScale {
  using vectors::CosineScale::CosineScale;
};

struct HybridSearch::Nearest {
  std::vector<vectors::Neighbour> found;  // near enough and not excluded, nearest first
  CosineScale scale;
};

HybridSearch::HybridSearch(sqlite::Database& db) : db_(db), lexical_(db) {}

SearchAnswer HybridSearch::search(const SearchQuery& query, std::span<const SemanticQuestion> questions,
                                  QueryLengths& lengths) {
  Attempt as_typed = attempt(query, questions, lengths);
  if (as_typed.found_any || as_typed.operators.empty() || !as_typed.answer.unknown_project.empty())
    return std::move(as_typed.answer);
  SearchQuery words = query;
  words.asked = parse_query(query.asked.text, query.now, Operators::as_words);
  Attempt as_words = attempt(words, questions, lengths);
  if (!as_words.found_any) return std::move(as_typed.answer);
  as_words.answer.dropped = std::move(as_typed.operators);
  return std::move(as_words.answer);
}

std::vector<HybridSearch::Phrasing> HybridSearch::understand(const SearchQuery& query,
                                                             std::span<const SemanticQuestion> questions,
                                                             QueryLengths& lengths) {
  static const SemanticQuestion kWordsAlone;
  const auto meaning = [&](std::size_t i) { return i < questions.size() ? &questions[i] : &kWordsAlone; };
  std::vector<Phrasing> out;
  out.push_back({query.asked.text, lexical_.understand(query, lengths), meaning(0)});
  if (out.front().words.filters_alone()) return out;
  for (std::size_t i = 0; i < std::min(query.also.size(), kMostAlso); ++i)
    out.push_back({query.also[i], lexical_.understand_also(query.also[i], query, out.front().words), meaning(i + 1)});
  return out;
}

HybridSearch::Attempt HybridSearch::attempt(const SearchQuery& query, std::span<const SemanticQuestion> questions,
                                            QueryLengths& lengths) {
  const std::vector<Phrasing> phrasings = understand(query, questions, lengths);
  const LexicalQuestion& words = phrasings.front().words;
  SearchAnswer answer;
  for (const QueryText& text : words.typed.excluded)
    answer.excluded.push_back(text.text);
  std::string_view model;
  for (const Phrasing& p : phrasings)
    if (model.empty() && by_meaning(*p.meaning)) model = p.meaning->vector.model;
  answer.mode = model.empty() ? SearchMode::lexical : query.mode;
  answer.semantic.used = !model.empty();
  answer.semantic.trouble = phrasings.front().meaning->trouble;
  if (SemanticIndex* const index = phrasings.front().meaning->index) {
    SemanticState state = index->state(db_);
    answer.semantic.model = std::move(state.model);
    answer.semantic.pending = state.pending;
    if (answer.semantic.trouble.empty()) answer.semantic.trouble = std::move(state.trouble);
  }
  answer.ignored_terms = words.plan.ignored;
  answer.unknown_terms = words.plan.unknown;
  answer.unknown_project = UnknownProjectQuery{words.typed.project}.run(db_);

  CandidateFilter filter(db_, lexical_.places(), query.filter, words.typed);
  const auto offset = static_cast<std::size_t>(std::max(query.offset, 0));
  const auto limit = static_cast<std::size_t>(std::max(query.limit, 0));
  const std::size_t wanted = offset + limit + 1;
  Ranking ranking;
  std::vector<Distinct> hits;
  for (std::size_t count = std::max(kByWords, wanted);; count *= 2) {
    ranking = fused(query, phrasings, filter, count);
    hits = distinct(ranking.candidates, std::max(wanted, kLeastDistinct));
    if (hits.size() >= wanted || ranking.complete) break;
  }
  answer.semantic.without_second_look = ranking.without_second_look;
  make_scores_monotonic(ranking.candidates);
  const std::size_t end = offset + static_cast<std::size_t>(std::clamp(query.load_at_most.value_or(query.limit), 0,
                                                                       std::max(query.limit, 0)));
  answer.more = hits.size() > end;
  const EvidenceWeights& weights = judge(hits, model, phrasings.size() > 1);
  const auto likely = [&](const FusionCandidate& c) {
    return words.filters_alone() ? 1 : likelihood(c.evidence, weights, phrasings.size() > 1);
  };
  double most_inside = -std::numeric_limits<double>::infinity();
  if (!words.filters_alone()) {
    answer.likelihood = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), kJudgedHits); ++i) {
      answer.likelihood = std::max(answer.likelihood, likely(*hits[i].candidate));
      most_inside = std::max(most_inside, log_odds(hits[i].candidate->evidence, weights, phrasings.size() > 1));
    }
    answer.nothing_relevant = confidence_of(answer.likelihood) == Confidence::low;
    answer.weak = query.also.empty() && answer.likelihood < kProbable;
    if (answer.weak) answer.missing_terms = missing_terms(words.plan, hits);
  }
  std::map<std::size_t, PassageFinder> passages;  // by phrasing
  for (std::size_t i = offset; i < std::min(hits.size(), end); ++i) {
    const std::size_t phrasing = hits[i].candidate->phrasing;
    auto finder = passages.find(phrasing);
    if (finder == passages.end())
      finder = passages.emplace(phrasing, lexical_.passages(phrasings[phrasing].words)).first;
    answer.hits.push_back(load(query, finder->second, hits[i], likely(*hits[i].candidate)));
  }
  if (query.count_matching) answer.matching = lexical_.count_matching(words, filter);
  if (query.count_outside) answer.outside = search_other_projects(query, phrasings, filter, model, most_inside);
  return {std::move(answer), !hits.empty(), words.typed.operators};
}

// Returns the words of the query that none of the best hits contains.
std::vector<std::string> HybridSearch::missing_terms(const QueryPlan& plan, std::span<const Distinct> hits) {
  std::uint64_t found = 0;
  for (const Distinct& hit : hits.first(std::min<std::size_t>(hits.size(), kJudgedHits)))
    found |= hit.candidate->terms;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < plan.terms.size(); ++i)
    if ((found >> i & 1U) == 0 && plan.terms[i].run.empty()) out.push_back(plan.terms[i].text);
  return out;
}

// Sets the evidence of the hits, and returns the weights of their likelihood. `hits`: the first of a search, best
// first.
const EvidenceWeights& HybridSearch::judge(std::span<const Distinct> hits, std::string_view model, bool several) {
  const auto first = hits.first(std::min<std::size_t>(hits.size(), kJudgedHits));
  const bool looked =
      std::ranges::any_of(first, [](const Distinct& hit) { return hit.candidate->features.network_cosine != 0; });
  const EvidenceWeights& weights = answer_weights(model, looked, several);
  if (weights.gap == 0) return weights;  // ranked() has set it
  std::vector<double> scores;
  for (const Distinct& hit : hits.first(std::min(hits.size(), kGapHits)))
    scores.push_back(std::clamp(hit.candidate->score, 0.0, 1.0));
  for (const Distinct& hit : hits)
    hit.candidate->evidence = evidence(hit.candidate->features, weights) + weights.gap * gap_of(scores);
  return weights;
}

OutsideHits HybridSearch::search_other_projects(const SearchQuery& query, const std::vector<Phrasing>& phrasings,
                                                CandidateFilter& inside, std::string_view model, double most_inside) {
  const LexicalQuestion& words = phrasings.front().words;
  QueryFilter everywhere = query.filter;
  everywhere.project.clear();
  CandidateFilter all(db_, lexical_.places(), everywhere, words.typed);
  Ranking ranking = fused(query, phrasings, all, kByWords);
  make_scores_monotonic(ranking.candidates);
  const auto best = distinct(ranking.candidates, static_cast<std::size_t>(std::max(query.limit, 0)));
  const EvidenceWeights& weights = judge(best, model, phrasings.size() > 1);
  const auto likely = [&](const FusionCandidate& c) { return likelihood(c.evidence, weights, phrasings.size() > 1); };
  const auto possible = [&](const FusionCandidate& c) { return confidence_of(likely(c)) != Confidence::low; };
  OutsideHits out;
  const FusionCandidate* likeliest = nullptr;
  int judged = 0;
  for (const Distinct& hit : best) {
    const FusionCandidate& c = *hit.candidate;
    if (inside.passes(c.id)) continue;
    if (words.filters_alone() || possible(c)) ++out.count;
    if (judged++ < kJudgedHits && (likeliest == nullptr || c.evidence > likeliest->evidence)) likeliest = &c;
  }
  if (likeliest == nullptr || words.filters_alone()) return out;
  out.likelihood = likely(*likeliest);
  if (possible(*likeliest) &&
      log_odds(likeliest->evidence, weights, phrasings.size() > 1) - most_inside >= kClearlyMore)
    out.better = BetterElsewhere{likeliest->id, project_of(likeliest->id), out.likelihood};
  return out;
}

std::string HybridSearch::project_of(ExchangeId id) {
  auto& q = db_.prepare(
      "SELECT p.identity_key FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk"
      " JOIN projects p ON p.project_pk = s.project_pk WHERE e.exchange_pk = ?1");
  std::string out;
  if (const auto row = q.bind(id).row()) out = row->text(0);
  return out;
}

// Returns the candidates of all phrasings ranked together, followed by the further lexical candidates of the first
// phrasing.
HybridSearch::Ranking HybridSearch::fused(const SearchQuery& query, const std::vector<Phrasing>& phrasings,
                                          CandidateFilter& filter, std::size_t count) {
  const std::vector<Nearest> near = nearest(query, phrasings, filter);
  Ranking first = ranked(query, phrasings.front(), near.front(), filter, count, phrasings.size() == 1);
  if (phrasings.size() == 1) return first;
  std::vector<std::vector<FusionCandidate>> lists;
  const auto border = first.candidates.begin() + static_cast<std::ptrdiff_t>(first.by_all_features);
  lists.emplace_back(first.candidates.begin(), border);
  for (std::size_t i = 1; i < phrasings.size(); ++i)
    lists.push_back(ranked(query, phrasings[i], near[i], filter, kByWords, phrasings.size() == 1).candidates);
  Ranking out{fuse(lists), 0, first.complete};
  out.by_all_features = out.candidates.size();
  append_rest(out.candidates, std::span(first.candidates).subspan(first.by_all_features), std::identity());
  return out;
}

HybridSearch::Ranking HybridSearch::ranked(const SearchQuery& query, const Phrasing& phrasing, const Nearest& near,
                                           CandidateFilter& filter, std::size_t count, bool alone) {
  const LexicalQuestion& words = phrasing.words;
  const SemanticQuestion& question = *phrasing.meaning;
  Ranking out;
  const bool with_meaning = by_meaning(question) && !words.filters_alone();
  const bool by_words = query.mode != SearchMode::semantic || !with_meaning;
  if (words.filters_alone()) {
    const auto newest = lexical_.candidates(words, filter, count).best;
    out.complete = newest.size() < count;
    for (const LexicalCandidate& c : newest)
      out.candidates.push_back(of_words(c));
    out.by_all_features = out.candidates.size();
    return out;
  }
  std::vector<ExchangeId> near_ids;
  for (const vectors::Neighbour& n : near.found)
    near_ids.push_back(n.exchange);
  LexicalSearch::Found by_word;
  if (by_words)
    by_word = lexical_.candidates(words, filter, count, near_ids);
  else
    by_word.also = lexical_.score(words, near_ids);
  const std::vector<LexicalCandidate>& found = by_word.best;
  out.complete = found.size() < count;
  const std::size_t fused = std::min(found.size(), kByWords);
  std::vector<FusionCandidate>& pool = out.candidates;
  std::ranges::transform(std::span(found).first(fused), std::back_inserter(pool), of_words);
  if (with_meaning && !words.plan.impossible) join(words, question, near, by_word.also, pool);
  add_places(query, pool);
  add_context(pool, shares_of(words.plan));
  if (by_words) {
    rank(pool, with_meaning);
    const auto best = std::span(pool).first(std::min(pool.size(), kLookedAt));
    add_session_kind_and_decision(words, best);
    mark_verbatim_matches(phrasing, best);
    if (with_meaning && alone) {
      compare_tokens(question, pool);
      rank(pool, with_meaning);
      out.without_second_look = look_again(phrasing, pool);
    }
    rank(pool, with_meaning);
  } else {
    for (FusionCandidate& c : pool)
      c.score = c.features.cosine * (c.features.abandoned > 0 ? kRankingWeights.abandoned : 1);
    std::stable_sort(pool.begin(), pool.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  }

  out.by_all_features = pool.size();
  append_rest(pool, std::span(found).subspan(fused), of_words);
  const EvidenceWeights& weights = evidence_weights(with_meaning ? question.vector.model : std::string_view());
  for (FusionCandidate& c : pool)
    c.evidence = evidence(c.features, weights);
  return out;
}

// Returns the nearest exchanges for each phrasing; none if it has no vector or a required term occurs nowhere.
std::vector<HybridSearch::Nearest> HybridSearch::nearest(const SearchQuery& query,
                                                         const std::vector<Phrasing>& phrasings,
                                                         CandidateFilter& filter) {
  std::vector<Nearest> out(phrasings.size());
  std::vector<const QueryVector*> questions;
  std::vector<std::size_t> of;  // index of the phrasing of each question
  for (std::size_t i = 0; i < phrasings.size(); ++i) {
    const LexicalQuestion& words = phrasings[i].words;
    const SemanticQuestion* const meaning = phrasings[i].meaning;
    if (!by_meaning(*meaning) || words.filters_alone() || words.plan.impossible) continue;
    questions.push_back(&meaning->vector);
    of.push_back(i);
  }
  if (questions.empty()) return out;
  const std::function<bool(ExchangeId)> passes = [&](ExchangeId id) { return filter.passes(id); };
  vectors::ScanRequest request;
  const auto wanted = static_cast<std::size_t>(std::max(query.offset, 0) + std::max(query.limit, 0) + 1);
  const bool alone = query.mode == SearchMode::semantic;
  request.count = alone ? std::max(kByMeaning, 2 * wanted) : kByMeaning;
  request.first = filter.first_id();
  request.last = filter.last_id();
  request.passes = filter.unrestricted() ? nullptr : &passes;
  const auto scans = phrasings[of.front()].meaning->index->scan_all(db_, questions, request);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    Nearest& near = out[of[i]];
    near.scale = CosineScale(scans[i]);
    for (const vectors::Neighbour& n : scans[i].nearest) {
      if (!alone && near.scale.z(n.cosine) < kLeastZ) break;
      if (!lexical_.is_excluded(phrasings[of[i]].words, n.exchange)) near.found.push_back(n);
    }
  }
  return out;
}

// Adds the semantic candidates to the pool and sets the cosine features of those already in it. `scored`: lexical
// scores, parallel to near.found.
void HybridSearch::join(const LexicalQuestion& words, const SemanticQuestion& question, const Nearest& near,
                        std::span<const LexicalCandidate> scored, std::vector<FusionCandidate>& pool) {
  std::vector<ExchangeId> also;
  for (const FusionCandidate& c : pool)
    also.push_back(c.id);
  vectors::ScanRequest request;
  request.count = 0;
  request.also = also;
  const vectors::ScanResult cosines = question.index->scan(db_, question.vector, request);
  std::unordered_map<ExchangeId, std::size_t> at;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    at.emplace(pool[i].id, i);
    if (i >= cosines.also.size() || std::isnan(cosines.also[i])) continue;
    pool[i].features.cosine = cosines.also[i];
    if (i < cosines.also_chunks.size()) pool[i].chunk = cosines.also_chunks[i];
    pool[i].features.dense_z = near.scale.z(cosines.also[i]);
  }
  const std::uint64_t required = required_terms(words.plan);
  for (std::size_t i = 0; i < near.found.size(); ++i) {
    const vectors::Neighbour& n = near.found[i];
    if (const auto it = at.find(n.exchange); it != at.end()) {
      pool[it->second].chunk = n.chunk;
      continue;
    }
    if ((scored[i].terms & required) != required) continue;
    FusionCandidate c = of_words(scored[i]);
    c.chunk = n.chunk;
    c.score = 0;
    c.features.cosine = n.cosine;
    c.features.dense_z = near.scale.z(n.cosine);
    pool.push_back(c);
  }
}

// Sets the session, number, time and related features of each candidate.
void HybridSearch::add_places(const SearchQuery& query, std::vector<FusionCandidate>& pool) {
  std::unordered_map<std::int64_t, bool> in_project;
  auto& project = db_.prepare(
      "SELECT coalesce(p.joined_pk, p.project_pk) = s.project_pk FROM sessions s JOIN projects p ON p.identity_key = ?2"
      " WHERE s.session_pk = ?1");
  std::erase_if(pool, [&](FusionCandidate& c) {
    const ExchangePlace* const place = lexical_.places().find(c.id);
    // The vector index can lag behind the store, so a candidate without a row is dropped if it has a vector. A lexical
    // candidate without a row stays in the answer.
    if (place == nullptr) return c.chunk != kNoChunk;
    c.session = place->session;
    c.number = place->number;
    c.started_at = place->started_at;
    c.features.recency = recency_of(c.started_at, query.now);
    c.features.abandoned = place->abandoned ? 1 : 0;
    if (query.near_project.empty()) return false;
    const auto [known, fresh] = in_project.try_emplace(c.session, false);
    if (fresh) known->second = project.bind(c.session, query.near_project).value_or(0) != 0;
    c.features.same_project = known->second ? 1 : 0;
    return false;
  });
}

// Sets the features that need further queries: `subagent`, and `decision` if the query asks for one.
void HybridSearch::add_session_kind_and_decision(const LexicalQuestion& words, std::span<FusionCandidate> best) {
  std::unordered_map<std::int64_t, bool> started_by_another;
  auto& kind = db_.prepare(sql_text("SELECT kind <> SessionKind::main FROM sessions WHERE session_pk = ?1"));
  for (FusionCandidate& c : best) {
    const auto [known, fresh] = started_by_another.try_emplace(c.session, false);
    if (fresh) known->second = kind.bind(c.session).value_or(0) != 0;
    c.features.subagent = known->second ? 1 : 0;
  }
  if (!words.asks_why) return;
  auto& decided =
      db_.prepare("SELECT 1 FROM observations WHERE type = 'decision' AND session_pk = ?1 AND exchange_number = ?2");
  for (FusionCandidate& c : best)
    c.features.decision = decided.bind(c.session, c.number).any() ? 1 : 0;
}

// Marks the best candidates that contain the query verbatim, or its words when the query has operators. The match is
// case-sensitive if the query has a capital letter, as in an editor. Reads only candidates with all words of the query.
void HybridSearch::mark_verbatim_matches(const Phrasing& phrasing, std::span<FusionCandidate> best) {
  const std::string_view typed = ascii::trimmed(phrasing.text);
  const std::string words = joined(phrasing.words.typed.wanted);
  const bool any_case = std::none_of(typed.begin(), typed.end(), ascii::is_upper);
  const auto stands_in = [&](std::string_view text) {
    const std::string lowered = any_case ? ascii::lowered(text) : std::string();
    if (any_case) text = lowered;
    return contains_verbatim(text, typed) || contains_verbatim(text, words);
  };
  auto& q = db_.prepare(
      "SELECT user_message, interventions, assistant_response, tool_text FROM exchanges WHERE exchange_pk = ?1");
  for (FusionCandidate& c : best) {
    if (c.features.coverage < kAllWords) continue;
    if (const auto row = q.bind(c.id).row())
      for (int column = 0; column < 4 && c.features.verbatim == 0; ++column)
        c.features.verbatim = stands_in(row->text(column)) ? 1 : 0;
  }
}

// Sets the `tokens` feature by comparing the best candidates with the query token by token. The feature is scaled down
// by the coverage of the first candidate, because names are found by their words. Candidates that are not compared get
// the lowest value of those compared.
void HybridSearch::compare_tokens(const SemanticQuestion& question, std::vector<FusionCandidate>& ranked) {
  if (ranked.size() < 2) return;
  const auto comparison = question.index->by_tokens(question.vector);
  if (!comparison) return;
  auto& q = db_.prepare(
      "SELECT user_message, interventions, assistant_response, answer_offset FROM exchanges WHERE exchange_pk = ?1");
  std::vector<double> values;
  for (FusionCandidate& c : std::span(ranked).first(std::min(ranked.size(), kCompared))) {
    std::string text;
    if (const auto row = q.bind(c.id).row())
      text = chunk_of({row->text(0), row->text(1), row->text(2), {}}, row->int64(3), std::max(c.chunk, 0));
    values.push_back(c.features.soft_coverage = comparison->compare(text));
  }
  standardise(values);
  values.resize(ranked.size(), *std::min_element(values.begin(), values.end()));
  const double open = 1 - std::clamp(ranked.front().features.coverage, 0.0, 1.0);
  for (std::size_t i = 0; i < ranked.size(); ++i)
    ranked[i].features.tokens = open * values[i];
}

// Sets the `second_look` feature of the best candidates. Candidates without a vector yet get the mean of those with
// one, candidates that are not looked at the lowest value. Scaled down like `tokens`. Returns how many have no vector
// yet.
std::int64_t HybridSearch::look_again(const Phrasing& phrasing, std::vector<FusionCandidate>& ranked) {
  const double open = ranked.empty() ? 0 : 1 - std::clamp(ranked.front().features.coverage, 0.0, 1.0);
  if (ranked.size() < 2 || open < kLeastOpen || !is_for_second_look(phrasing.words)) return 0;
  const auto best = std::span(ranked).first(std::min(ranked.size(), kCompared));
  std::vector<ExchangeId> ids;
  for (const FusionCandidate& c : best)
    ids.push_back(c.id);
  const std::vector<float> cosines = phrasing.meaning->index->second_look(db_, phrasing.meaning->vector, ids);
  std::vector<double> known;
  for (const float cosine : cosines)
    if (!std::isnan(cosine)) known.push_back(cosine);
  const std::int64_t unknown = std::ssize(cosines) - std::ssize(known);
  if (known.size() < 2) return unknown;
  const double mean = std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
  std::vector<double> values;
  for (const float cosine : cosines)
    values.push_back(std::isnan(cosine) ? mean : double{cosine});
  for (std::size_t i = 0; i < best.size(); ++i)
    best[i].features.network_cosine = values[i];
  standardise(values);
  values.resize(ranked.size(), *std::min_element(values.begin(), values.end()));
  for (std::size_t i = 0; i < ranked.size(); ++i)
    ranked[i].features.second_look = open * values[i];
  return unknown;
}

// Returns the first `wanted` candidates with different content and counts their copies.
std::vector<HybridSearch::Distinct> HybridSearch::distinct(std::vector<FusionCandidate>& candidates,
                                                           std::size_t wanted) {
  std::vector<Distinct> out;
  std::unordered_map<std::int64_t, std::size_t> seen;
  for (FusionCandidate& c : candidates) {
    if (out.size() == wanted) break;
    const ExchangePlace* const place = lexical_.places().find(c.id);
    const std::int64_t hash = place != nullptr ? place->content_hash : 0;
    const auto [known, fresh] = seen.emplace(hash, out.size());
    if (fresh || hash == 0)
      out.push_back({&c, 0});
    else
      ++out[known->second].copies;
  }
  return out;
}

SearchHit HybridSearch::load(const SearchQuery& query, const PassageFinder& passages, const Distinct& found,
                             double likelihood) {
  const FusionCandidate& c = *found.candidate;
  const bool meant = c.features.dense_z >= kTellingZ && c.features.coverage < kTellingCoverage;
  SearchHit hit = load_hit(db_, passages, c.id, meant ? c.chunk : kNoChunk);
  hit.relevance_score = std::clamp(c.score, 0.0, 1.0);
  hit.copies = found.copies;
  hit.likelihood = likelihood;
  hit.confidence = confidence_of(likelihood);
  hit.found_by = c.found_by;
  if (query.explain) hit.features = c.features;
  return hit;
}

}  // namespace memd::search
