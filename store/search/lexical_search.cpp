#include "store/search/lexical_search.hpp"

#include "store/search/passage.hpp"
#include "store/search/query_parser.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

namespace memd::search {
namespace {

constexpr std::size_t kReranked = 200;          // the best by text, whose titles are looked at
constexpr std::int64_t kNewestMatches = 5'000;  // looked at for a word that half the store holds
constexpr std::size_t kReadableList = 20'000;   // exchanges whose times are read one by one

}  // namespace

LexicalSearch::LexicalSearch(sqlite::Database& db)
    : db_(db), tokenizer_(db.handle()), statistics_(db), scorer_(db.handle()) {}

LexicalQuestion LexicalSearch::understand(const SearchQuery& query) {
  LexicalQuestion out;
  out.typed = parse_query(query.text);
  statistics_.refresh();
  out.plan = plan_query(out.typed, tokenizer_, statistics_);
  return out;
}

std::vector<LexicalCandidate> LexicalSearch::candidates(const LexicalQuestion& question, CandidateFilter& filter,
                                                        std::size_t count) {
  if (question.empty()) return {};
  if (question.filters_alone()) return newest(question, filter, count);
  // Those whose titles are looked at are the same however many are wanted.
  auto out = best_by_text(question.plan, filter, std::max(count, kReranked));
  const auto reranked = std::span(out).first(std::min(out.size(), kReranked));
  add_titles(question.plan, reranked);
  std::stable_sort(reranked.begin(), reranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  out.resize(std::min(out.size(), count));
  return out;
}

std::vector<LexicalCandidate> LexicalSearch::score(const LexicalQuestion& question, std::span<const ExchangeId> ids) {
  std::vector<LexicalCandidate> out;
  for (const ExchangeId id : ids)
    out.push_back({id, 0, {}, 0});
  if (question.plan.terms.empty()) return out;
  std::string any;
  for (const Term& term : question.plan.terms)
    any.append(any.empty() ? "" : " OR ").append(term.text);
  scorer_.begin(question.plan);
  auto& q =
      db_.prepare("SELECT memd_match(exchanges_fts) FROM exchanges_fts WHERE exchanges_fts MATCH ?1 AND rowid = ?2");
  for (Candidate& candidate : out)
    if (q.bind(any, candidate.id).step()) {
      candidate.score = q.real(0);
      candidate.features = scorer_.last();
      candidate.terms = scorer_.last_terms();
    }
  q.reset();
  add_titles(question.plan, out);
  return out;
}

// For a word too common to walk through, the first id to look at. 0: look at all.
ExchangeId LexicalSearch::newest_window(const QueryPlan& plan, const CandidateFilter& filter) const {
  if (!filter.unrestricted()) return 0;
  std::int64_t walked = 0;
  for (const Term& term : plan.terms)
    if (term.drives) walked = std::max(walked, term.frequency);
  if (walked <= kNewestMatches) return 0;
  const double share = static_cast<double>(kNewestMatches) / static_cast<double>(walked);
  return static_cast<ExchangeId>(static_cast<double>(statistics_.documents()) * (1 - share));
}

std::vector<LexicalSearch::Candidate> LexicalSearch::best_by_text(const QueryPlan& plan, CandidateFilter& filter,
                                                                  std::size_t count) {
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  };
  scorer_.begin(plan);
  const ExchangeId first = std::max(filter.first_id(), newest_window(plan, filter));
  auto& q = db_.prepare(
                   "SELECT rowid, memd_match(exchanges_fts) FROM exchanges_fts"
                   " WHERE exchanges_fts MATCH ?1 AND rowid >= ?2 AND rowid <= ?3")
                .bind(plan.match, first, filter.last_id());
  std::vector<Candidate> heap;  // the worst on top
  while (q.step()) {
    const Candidate candidate{q.int64(0), q.real(1), scorer_.last(), scorer_.last_terms()};
    if (heap.size() == count && !better(candidate, heap.front())) continue;
    if (!filter.passes(candidate.id)) continue;
    if (heap.size() == count) {
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end(), better);
    if (heap.size() == count) scorer_.set_threshold(heap.front().score);
  }
  q.reset();
  std::sort_heap(heap.begin(), heap.end(), better);
  return heap;
}

void LexicalSearch::add_titles(const QueryPlan& plan, std::span<Candidate> candidates) {
  std::unordered_map<std::int64_t, double> share;  // of the query's weight in the title of a session
  std::vector<Token> tokens;
  const auto share_of = [&](std::string_view title) {
    tokens.clear();
    tokenizer_.tokenize(title, tokens);
    double found = 0;
    for (const Term& term : plan.terms)
      if (std::all_of(term.stems.begin(), term.stems.end(), [&](const std::string& stem) {
            return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.stem == stem; });
          }))
        found += term.idf;
    return plan.total_idf > 0 ? found / plan.total_idf : 0;
  };
  auto& session = db_.prepare("SELECT session_pk FROM exchanges WHERE exchange_pk = ?1");
  auto& title = db_.prepare("SELECT title FROM sessions WHERE session_pk = ?1");
  for (Candidate& candidate : candidates) {
    session.bind(candidate.id);
    if (!session.step()) continue;
    const auto [known, fresh] = share.try_emplace(session.int64(0), 0.0);
    if (fresh && title.bind(known->first).step()) known->second = share_of(title.text(0));
    candidate.features.title = known->second;
    candidate.score += MatchScorer::kTitleWeight * known->second;
  }
  session.reset();
  title.reset();
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
  // Those of a list may all be old: when looking back has cost as much, the list itself is read.
  const auto* list = filter.list();
  const bool readable = list != nullptr && list->size() <= kReadableList;
  std::size_t steps = readable ? list->size() : std::numeric_limits<std::size_t>::max();
  auto& q = db_.prepare(
                   "SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2"
                   " ORDER BY started_at DESC, exchange_pk DESC")
                .bind(filter.since(), filter.until());
  std::vector<Candidate> out;
  while (out.size() < count && q.step()) {
    if (steps-- == 0) {
      q.reset();
      return newest_of(*list, question, filter, count);
    }
    if (const ExchangeId id = q.int64(0); filter.passes(id) && !is_excluded(question, id))
      out.push_back({id, 1.0, {}, 0});
  }
  q.reset();
  return out;
}

std::vector<LexicalCandidate> LexicalSearch::newest_of(const std::vector<ExchangeId>& list,
                                                       const LexicalQuestion& question, CandidateFilter& filter,
                                                       std::size_t count) {
  std::vector<std::pair<TimeMs, ExchangeId>> by_time;
  auto& q = db_.prepare("SELECT started_at FROM exchanges WHERE exchange_pk = ?1");
  for (const ExchangeId id : list) {
    q.bind(id);
    if (q.step() && q.int64(0) >= filter.since() && q.int64(0) < filter.until()) by_time.emplace_back(q.int64(0), id);
  }
  q.reset();
  std::sort(by_time.begin(), by_time.end(), std::greater<>());
  std::vector<Candidate> out;
  for (const auto& [time, id] : by_time) {
    if (out.size() == count) break;
    if (filter.passes(id) && !is_excluded(question, id)) out.push_back({id, 1.0, {}, 0});
  }
  return out;
}

}  // namespace memd::search
