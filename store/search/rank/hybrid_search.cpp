#include "store/search/rank/hybrid_search.hpp"

#include "store/read/exchanges.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/search/vectors/cosine_scale.hpp"
#include "store/text/text_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace memd::search {
namespace {

constexpr std::array<std::string_view, 4> kColumns{"user_message", "interventions", "assistant_response", "tool_text"};

const std::string kSql = "SELECT" + std::string(queries::kTitleColumns) + std::string(queries::kSessionHeadColumns) +
                         std::string(queries::kExchangeHeadColumns) + R"(,
  e.user_message, e.interventions, e.assistant_response, e.tool_text, e.answer_offset, e.data_completeness
  FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk)" +
                         std::string(queries::kProjectOfSession) + "WHERE e.exchange_pk = ?1";

// Empty when the text has changed and has no such chunk any more.
std::string chunk_of(const std::array<std::string_view, 4>& texts, std::int64_t answer_offset, int chunk) {
  if (chunk < 0) return {};
  ExchangeRow exchange;
  exchange.user_message = texts[0];
  exchange.interventions = texts[1];
  exchange.assistant_response = texts[2];
  exchange.answer_offset = answer_offset;
  auto chunks = enrichment::chunks_of(exchange);
  const auto at = static_cast<std::size_t>(chunk);
  return at < chunks.size() ? std::move(chunks[at].text) : std::string();
}

// The column that most of the chunk's start stands in.
std::size_t column_of(const std::array<std::string_view, 4>& texts, std::string_view chunk) {
  const std::string_view start = chunk.substr(0, chunk.find('\n'));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].find(start) != std::string_view::npos) return i;
  return 0;
}

// The texts around a ranked exchange; its score is left to set. The snippet is taken from the chunk of its text
// (enrichment::chunks_of) when one is named and still there. Without session_uid: there is no such exchange, or none
// with a session.
SearchHit load_hit(sqlite::Database& db, const PassageFinder& passages, ExchangeId id, int chunk) {
  SearchHit hit;
  hit.id = id;
  auto& q = db.prepare(kSql).bind(id);
  if (!q.step()) {
    q.reset();
    return hit;
  }
  queries::read_head(q, hit);
  const std::array<std::string_view, 4> texts{q.text(10), q.text(11), q.text(12), q.text(13)};
  hit.user_message = texts[0];
  hit.is_evicted = static_cast<DataCompleteness>(q.int64(15)) == DataCompleteness::metadata_only;
  const auto answer = std::clamp<std::int64_t>(q.int64(14), 0, static_cast<std::int64_t>(texts[2].size()));
  hit.assistant_response = texts[2].substr(static_cast<std::size_t>(answer));
  hit.text_bytes = static_cast<std::int64_t>(texts[0].size() + texts[1].size() + texts[2].size());
  if (const std::string stretch = chunk_of(texts, answer, chunk); !stretch.empty()) {
    hit.snippet = passages.best({stretch, {}, {}, {}}).text;
    hit.matched_in = kColumns[column_of(texts, stretch)];
  } else {
    Passage passage = passages.best(texts);
    hit.snippet = std::move(passage.text);
    hit.matched_in = kColumns[passage.column];
  }
  q.reset();
  return hit;
}

constexpr std::size_t kByWords = 200;       // ranked together with
constexpr std::size_t kByMeaning = 100;     // these
constexpr double kLeastZ = 2;               // of a hit that has no word of the question
constexpr std::size_t kLeastDistinct = 50;  // hits whose copies are looked for
// The snippet shows what is nearest in meaning, and not the words, of a hit this near with less than this of the words.
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

std::vector<double> shares_of(const QueryPlan& plan) {
  std::vector<double> out;
  for (const Term& term : plan.terms)
    out.push_back(plan.total_idf > 0 ? term.idf / plan.total_idf : 0);
  return out;
}

// Those that have to be there come first in a plan.
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
  std::vector<vectors::Neighbour> found;  // near enough, and not excluded; nearest first
  CosineScale scale;
};

std::string question_of(std::string_view text) {
  std::string out;
  for (const QueryText& piece : parse_query(text).wanted)
    out.append(out.empty() ? "" : " ").append(piece.text);
  return out;
}

HybridSearch::HybridSearch(sqlite::Database& db) : db_(db), lexical_(db) {}

SearchAnswer HybridSearch::search(const SearchQuery& query, const SemanticQuestion& question, KnownLengths& lengths) {
  Attempt as_typed = attempt(query, question, lengths);
  if (as_typed.found_any || as_typed.operators.empty() || !as_typed.answer.unknown_project.empty())
    return std::move(as_typed.answer);
  SearchQuery words = query;
  words.operators = false;
  Attempt as_words = attempt(words, question, lengths);
  if (!as_words.found_any) return std::move(as_typed.answer);
  as_words.answer.dropped = std::move(as_typed.operators);
  return std::move(as_words.answer);
}

HybridSearch::Attempt HybridSearch::attempt(const SearchQuery& query, const SemanticQuestion& question,
                                            KnownLengths& lengths) {
  LexicalQuestion words = lexical_.understand(query, lengths);
  SearchAnswer answer;
  for (const QueryText& text : words.typed.excluded)
    answer.excluded.push_back(text.text);
  const bool by_meaning = question.index != nullptr && !question.vector.vector.empty();
  answer.mode = by_meaning ? query.mode : SearchMode::lexical;
  answer.semantic.used = by_meaning;
  answer.semantic.trouble = question.trouble;
  if (question.index != nullptr) {
    SemanticState state = question.index->state(db_);
    answer.semantic.model = std::move(state.model);
    answer.semantic.pending = state.pending;
    if (answer.semantic.trouble.empty()) answer.semantic.trouble = std::move(state.trouble);
  }
  answer.ignored_terms = words.plan.ignored;
  answer.unknown_project = UnknownProjectQuery{words.typed.project}.run(db_);

  CandidateFilter filter(db_, lexical_.places(), query.filter, words.typed);
  const auto offset = static_cast<std::size_t>(std::max(query.offset, 0));
  const auto limit = static_cast<std::size_t>(std::max(query.limit, 0));
  const std::size_t wanted = offset + limit + 1;
  Ranking ranking;
  std::vector<Distinct> hits;
  for (std::size_t count = std::max(kByWords, wanted);; count *= 2) {
    ranking = ranked(query, words, question, filter, count);
    hits = distinct(ranking.candidates, std::max(wanted, kLeastDistinct));
    if (hits.size() >= wanted || ranking.complete) break;
  }
  answer.more = hits.size() >= wanted;
  const EvidenceWeights& weights = evidence_weights(by_meaning ? question.vector.model : std::string_view());
  if (!words.filters_alone()) {
    std::vector<RankingFeatures> best;
    for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), kJudgedHits); ++i)
      best.push_back(hits[i].candidate->features);
    answer.nothing_relevant = nothing_relevant(best, weights);
  }
  for (std::size_t i = offset; i < std::min(hits.size(), offset + limit); ++i)
    answer.hits.push_back(load(query, words, hits[i], weights));
  if (query.count_outside) answer.outside = count_outside(query, words, question, filter, weights);
  return {std::move(answer), !hits.empty(), std::move(words.typed.operators)};
}

std::int64_t HybridSearch::count_outside(const SearchQuery& query, const LexicalQuestion& words,
                                         const SemanticQuestion& question, CandidateFilter& inside,
                                         const EvidenceWeights& weights) {
  QueryFilter everywhere = query.filter;
  everywhere.project.clear();
  CandidateFilter all(db_, lexical_.places(), everywhere, words.typed);
  const Ranking ranking = ranked(query, words, question, all, kByWords);
  const auto best = distinct(ranking.candidates, static_cast<std::size_t>(std::max(query.limit, 0)));
  return std::count_if(best.begin(), best.end(), [&](const Distinct& hit) {
    const FusionCandidate& c = *hit.candidate;
    return !inside.passes(c.id) && (words.filters_alone() || confidence_of(c.features, weights) != Confidence::low);
  });
}

HybridSearch::Pool HybridSearch::pool(const SearchQuery& query, const SemanticQuestion& question,
                                      KnownLengths& lengths) {
  const LexicalQuestion words = lexical_.understand(query, lengths);
  CandidateFilter filter(db_, lexical_.places(), query.filter, words.typed);
  return {ranked(query, words, question, filter, kByWords).candidates, shares_of(words.plan)};
}

HybridSearch::Ranking HybridSearch::ranked(const SearchQuery& query, const LexicalQuestion& words,
                                           const SemanticQuestion& question, CandidateFilter& filter,
                                           std::size_t count) {
  Ranking out;
  const bool by_meaning = question.index != nullptr && !question.vector.vector.empty() && !words.filters_alone();
  const bool by_words = query.mode != SearchMode::semantic || !by_meaning;
  if (words.filters_alone()) {
    const auto newest = lexical_.candidates(words, filter, count).best;
    out.complete = newest.size() < count;
    for (const LexicalCandidate& c : newest)
      out.candidates.push_back(of_words(c));
    return out;
  }
  Nearest near;
  if (by_meaning && !words.plan.impossible) near = nearest(query, words, question, filter);
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
  const auto fused = static_cast<std::ptrdiff_t>(std::min(found.size(), kByWords));
  std::vector<FusionCandidate>& pool = out.candidates;
  std::transform(found.begin(), found.begin() + fused, std::back_inserter(pool), of_words);
  if (by_meaning && !words.plan.impossible) join(words, question, near, by_word.also, pool);
  add_places(query, pool);
  add_context(pool, shares_of(words.plan));
  if (by_words) {
    rank(pool, by_meaning);
  } else {
    for (FusionCandidate& c : pool)
      c.score = c.features.cosine * (c.features.abandoned > 0 ? kRankingWeights.abandoned : 1);
    std::stable_sort(pool.begin(), pool.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  }

  std::unordered_map<ExchangeId, bool> known;
  for (const FusionCandidate& c : pool)
    known.emplace(c.id, true);
  const double least = pool.empty() ? 1 : pool.back().score;
  for (auto it = found.begin() + fused; it != found.end(); ++it) {
    if (known.contains(it->id)) continue;
    pool.push_back(of_words(*it));
    pool.back().score = std::min(least, it->score);
  }
  return out;
}

HybridSearch::Nearest HybridSearch::nearest(const SearchQuery& query, const LexicalQuestion& words,
                                            const SemanticQuestion& question, CandidateFilter& filter) {
  const std::function<bool(ExchangeId)> passes = [&](ExchangeId id) { return filter.passes(id); };
  vectors::ScanRequest request;
  const auto wanted = static_cast<std::size_t>(std::max(query.offset, 0) + std::max(query.limit, 0) + 1);
  const bool alone = query.mode == SearchMode::semantic;
  request.count = alone ? std::max(kByMeaning, 2 * wanted) : kByMeaning;
  request.first = filter.first_id();
  request.last = filter.last_id();
  request.passes = filter.unrestricted() ? nullptr : &passes;
  vectors::ScanResult scan = question.index->scan(db_, question.vector, request);
  Nearest out;
  out.scale = CosineScale(scan);
  for (const vectors::Neighbour& n : scan.nearest) {
    if (!alone && out.scale.z(n.cosine) < kLeastZ) break;
    if (!lexical_.is_excluded(words, n.exchange)) out.found.push_back(n);
  }
  return out;
}

// The nearest in meaning join the pool, and what is there already gets its cosine. `scored`: the nearest, by words.
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

// Where each stands: its session and number, its age, its project.
void HybridSearch::add_places(const SearchQuery& query, std::vector<FusionCandidate>& pool) {
  std::unordered_map<std::int64_t, bool> in_project;
  auto& project = db_.prepare(
      "SELECT p.identity_key = ?2 FROM sessions s JOIN projects p ON p.project_pk = s.project_pk"
      " WHERE s.session_pk = ?1");
  std::erase_if(pool, [&](FusionCandidate& c) {
    const ExchangePlace* const place = lexical_.places().find(c.id);
    // A vector may be a moment older than its exchange; what has the words and no row is for the answer to count.
    if (place == nullptr) return c.chunk != kNoChunk;
    c.session = place->session;
    c.number = place->number;
    c.started_at = place->started_at;
    c.features.recency = recency_of(c.started_at, query.now);
    c.features.abandoned = place->abandoned ? 1 : 0;
    if (query.near_project.empty()) return false;
    const auto [known, fresh] = in_project.try_emplace(c.session, false);
    if (fresh && project.bind(c.session, query.near_project).step()) known->second = project.int64(0) != 0;
    c.features.same_project = known->second ? 1 : 0;
    return false;
  });
  project.reset();
}

// The first `wanted` of different content.
std::vector<HybridSearch::Distinct> HybridSearch::distinct(const std::vector<FusionCandidate>& candidates,
                                                           std::size_t wanted) {
  std::vector<Distinct> out;
  std::unordered_map<std::int64_t, std::size_t> seen;
  for (const FusionCandidate& c : candidates) {
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

SearchHit HybridSearch::load(const SearchQuery& query, const LexicalQuestion& words, const Distinct& found,
                             const EvidenceWeights& weights) {
  const FusionCandidate& c = *found.candidate;
  const bool meant = c.features.dense_z >= kTellingZ && c.features.coverage < kTellingCoverage;
  SearchHit hit = load_hit(db_, lexical_.passages(words), c.id, meant ? c.chunk : kNoChunk);
  hit.relevance_score = std::clamp(c.score, 0.0, 1.0);
  hit.copies = found.copies;
  hit.confidence = words.filters_alone() ? Confidence::high : confidence_of(c.features, weights);
  if (query.explain) hit.features = c.features;
  return hit;
}

}  // namespace memd::search
