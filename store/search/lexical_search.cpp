#include "store/search/lexical_search.hpp"

#include "store/search/hit_loader.hpp"
#include "store/search/passage.hpp"
#include "store/search/query_parser.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace memd::search {
namespace {

constexpr std::size_t kReranked = 200;          // the best by text, whose titles are looked at
constexpr std::int64_t kNewestMatches = 5'000;  // looked at for a word that half the store holds

}  // namespace

LexicalSearch::LexicalSearch(sqlite::Database& db)
    : db_(db), tokenizer_(db.handle()), statistics_(db), scorer_(db.handle()) {}

SearchAnswer LexicalSearch::search(const SearchQuery& query) {
  const ParsedQuery typed = parse_query(query.text);
  statistics_.refresh();
  QueryPlan plan = plan_query(typed, tokenizer_, statistics_);
  SearchAnswer answer;
  answer.ignored_terms = plan.ignored;
  const bool filters_alone = typed.wanted.empty() && typed.has_filters();
  if (plan.match.empty() && !filters_alone) return answer;

  CandidateFilter filter(db_, query.filter, typed);
  const auto offset = static_cast<std::size_t>(std::max(query.offset, 0));
  const auto limit = static_cast<std::size_t>(std::max(query.limit, 0));
  const std::size_t wanted = offset + limit + 1;
  std::vector<Candidate> hits;
  for (std::size_t count = std::max(kReranked, wanted);; count *= 2) {
    const auto found = filters_alone ? newest(plan, filter, count) : ranked(plan, filter, count);
    hits = without_copies(found, wanted);
    if (hits.size() == wanted || found.size() < count) break;
  }

  answer.more = hits.size() == wanted;
  const PassageFinder passages(tokenizer_, plan);
  for (std::size_t i = offset; i < std::min(offset + limit, hits.size()); ++i)
    answer.hits.push_back(load_hit(db_, passages, hits[i].id, hits[i].score));
  return answer;
}

std::vector<LexicalSearch::Candidate> LexicalSearch::ranked(const QueryPlan& plan, CandidateFilter& filter,
                                                            std::size_t count) {
  auto out = best_by_text(plan, filter, count);
  add_titles(plan, out);
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
    const Candidate candidate{q.int64(0), q.real(1), scorer_.last()};
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

void LexicalSearch::add_titles(const QueryPlan& plan, std::vector<Candidate>& candidates) {
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), kReranked));
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
  for (auto it = candidates.begin(); it != end; ++it) {
    session.bind(it->id);
    if (!session.step()) continue;
    const auto [known, fresh] = share.try_emplace(session.int64(0), 0.0);
    if (fresh && title.bind(known->first).step()) known->second = share_of(title.text(0));
    it->features.title = known->second;
    it->score += MatchScorer::kTitleWeight * known->second;
  }
  session.reset();
  title.reset();
  std::stable_sort(candidates.begin(), end, [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

bool LexicalSearch::is_excluded(const QueryPlan& plan, ExchangeId id) {
  if (plan.excluded.empty()) return false;
  auto& q =
      db_.prepare("SELECT 1 FROM exchanges_fts WHERE exchanges_fts MATCH ?1 AND rowid = ?2").bind(plan.excluded, id);
  const bool found = q.step();
  q.reset();
  return found;
}

std::vector<LexicalSearch::Candidate> LexicalSearch::newest(const QueryPlan& plan, CandidateFilter& filter,
                                                            std::size_t count) {
  auto& q = db_.prepare(
                   "SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2"
                   " ORDER BY started_at DESC, exchange_pk DESC")
                .bind(filter.since(), filter.until());
  std::vector<Candidate> out;
  while (out.size() < count && q.step())
    if (const ExchangeId id = q.int64(0); filter.passes(id) && !is_excluded(plan, id)) out.push_back({id, 1.0, {}});
  q.reset();
  return out;
}

// The first `wanted` of different content.
std::vector<LexicalSearch::Candidate> LexicalSearch::without_copies(const std::vector<Candidate>& candidates,
                                                                    std::size_t wanted) {
  std::vector<Candidate> out;
  std::unordered_set<std::int64_t> seen;
  auto& q = db_.prepare("SELECT content_hash FROM exchanges WHERE exchange_pk = ?1");
  for (const Candidate& candidate : candidates) {
    if (out.size() == wanted) break;
    q.bind(candidate.id);
    const std::int64_t hash = q.step() ? q.int64(0) : 0;
    if (hash == 0 || seen.insert(hash).second) out.push_back(candidate);
  }
  q.reset();
  return out;
}

}  // namespace memd::search
