#include "store/search/lexical_search.hpp"

#include "store/search/hit_loader.hpp"
#include "store/search/match_scorer.hpp"
#include "store/search/passage.hpp"
#include "store/search/posting_walk.hpp"
#include "store/search/query_parser.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace memd::search {
namespace {

constexpr std::size_t kReranked = 200;  // the best by text, whose titles are looked at

}  // namespace

LexicalSearch::LexicalSearch(sqlite::Database& db) : db_(db), tokenizer_(db.handle()), statistics_(db) {}

LexicalQuestion LexicalSearch::understand(const SearchQuery& query) {
  LexicalQuestion out;
  out.typed = parse_query(query.text);
  statistics_.refresh();
  out.plan = plan_query(out.typed, tokenizer_, statistics_);
  return out;
}

SearchAnswer LexicalSearch::search(const SearchQuery& query) {
  const LexicalQuestion question = understand(query);
  SearchAnswer answer;
  answer.ignored_terms = question.plan.ignored;
  if (question.empty()) return answer;

  CandidateFilter filter(db_, query.filter, question.typed);
  const auto offset = static_cast<std::size_t>(std::max(query.offset, 0));
  const auto limit = static_cast<std::size_t>(std::max(query.limit, 0));
  const std::size_t wanted = offset + limit + 1;
  std::vector<Candidate> hits;
  for (std::size_t count = std::max(kReranked, wanted);; count *= 2) {
    const auto found = candidates(question, filter, count);
    hits = without_copies(found, wanted);
    if (hits.size() == wanted || found.size() < count) break;
  }

  answer.more = hits.size() == wanted;
  const PassageFinder shown = passages(question);
  for (std::size_t i = offset; i < std::min(offset + limit, hits.size()); ++i)
    answer.hits.push_back(load_hit(db_, shown, hits[i].id, hits[i].score));
  return answer;
}

std::vector<LexicalCandidate> LexicalSearch::candidates(const LexicalQuestion& question, CandidateFilter& filter,
                                                        std::size_t count) {
  if (question.empty()) return {};
  if (question.filters_alone()) return newest(question.plan, filter, count);
  // Those whose titles are looked at are the same however many are wanted.
  auto out = PostingWalk(statistics_.index(), question.plan).best(filter, std::max(count, kReranked));
  const auto reranked = std::span(out).first(std::min(out.size(), kReranked));
  add_titles(question.plan, reranked);
  std::stable_sort(reranked.begin(), reranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  out.resize(std::min(out.size(), count));
  return out;
}

std::vector<LexicalCandidate> LexicalSearch::score(const LexicalQuestion& question, std::span<const ExchangeId> ids) {
  auto out = PostingWalk(statistics_.index(), question.plan).score(ids);
  add_titles(question.plan, out);
  return out;
}

void LexicalSearch::add_titles(const QueryPlan& plan, std::span<Candidate> candidates) {
  std::unordered_map<std::int64_t, double> share;  // of the query's weight in the title of a session
  std::vector<Token> tokens;
  const auto share_of = [&](std::string_view title) {
    tokens.clear();
    tokenizer_.tokenize(title, tokens);
    double found = 0;
    for (const Term& term : plan.terms)
      if (std::any_of(term.forms.begin(), term.forms.end(), [&](const TermForm& form) {
            return std::all_of(form.stems.begin(), form.stems.end(), [&](const std::string& stem) {
              return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.stem == stem; });
            });
          }))
        found += term.idf * term.found_weight;
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
