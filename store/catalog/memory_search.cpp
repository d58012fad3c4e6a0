#include "store/catalog/memory_search.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/catalog/catalog_cache.hpp"
#include "store/db/rows.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/memory/headings.hpp"
#include "store/search/rank/hybrid_search.hpp"
#include "store/search/rank/ranking.hpp"
#include "store/search/vectors/cosine_scale.hpp"
#include "store/search/vectors/snapshot_scan.hpp"
#include "store/search/words/lexical_search.hpp"
#include "store/search/words/top_k_evaluator.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd::catalog {
namespace {

constexpr std::size_t kByWords = 150;   // candidates by words, ranked together with
constexpr std::size_t kByMeaning = 50;  // these candidates by similarity
// Factors for the score of a memory that is superseded or stale.
constexpr double kSuperseded = 0.5;
constexpr double kStale = 0.75;
constexpr double kBehind = 0.99;  // factor relative to the score of its successor

bool is_in_project(const Place& place, std::string_view filter) {
  if (filter.empty() || place.project_key.empty()) return true;
  const std::string key = ascii::lowered(place.project_key);
  if (filter.front() == '\x01') {  // also matches directories above it
    const std::string tree = "\x01" + key + "/";
    return tree.starts_with(filter) || filter.starts_with(tree);
  }
  return key.find(filter) != std::string::npos || ascii::lowered(place.project).find(filter) != std::string::npos;
}

template <class T>
bool is_one_of(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

// Decides which memories a query may return. Lives for one query.
class Sieve {
 public:
  Sieve(const CatalogCache& cache, const MemoryFilter& filter)
      : cache_(cache), filter_(filter), project_(ascii::lowered(filter.project)) {}

  bool passes(std::int64_t doc) const {
    const Facets* f = cache_.find(doc);
    return f != nullptr && passes(*f);
  }
  bool passes(const Facets& f) const {
    const Place& place = cache_.place(f);
    if (!f.is_valid || !is_in_project(place, project_)) return false;
    if (!is_one_of(filter_.scopes, place.scope) || !is_one_of(filter_.types, f.type)) return false;
    if (!filter_.include_agent_files && place.dialect == MemoryDialect::agent) return false;
    if (!filter_.include_superseded && is_superseded(f)) return false;
    if (!filter_.include_stale && f.status == VerificationStatus::stale) return false;
    if (filter_.as_of != 0 && f.created > filter_.as_of) return false;
    if (filter_.since != 0 && f.updated < filter_.since) return false;
    if (filter_.until != 0 && f.updated >= filter_.until) return false;
    for (const std::string& tag : filter_.tags)
      if (f.tags.find(" " + tag + " ") == std::string::npos) return false;
    return std::all_of(filter_.paths.begin(), filter_.paths.end(),
                       [&](const std::string& part) { return ascii::lowered(f.path).find(part) != std::string::npos; });
  }
  // As of the requested time.
  bool is_superseded(const Facets& f) const {
    return !f.superseded_by.empty() && (filter_.as_of == 0 || f.superseded_at <= filter_.as_of);
  }
  bool is_changed_since(const Facets& f) const { return filter_.as_of != 0 && f.updated > filter_.as_of; }

 private:
  const CatalogCache& cache_;
  const MemoryFilter& filter_;
  const std::string project_;
};

// Returns the anchor of the heading above the passage.
std::string anchor_of(std::string_view content, const search::Passage& passage) {
  if (passage.matches.empty()) return {};
  const TextSpan& match = passage.matches.front();
  const std::string_view text = passage.text;
  const std::string_view word = text.substr(match.start, match.length);
  // Includes the preceding word if it is on the same line.
  std::string_view before = text.substr(0, match.start);
  if (const auto blank = before.rfind(' ', before.size() < 2 ? 0 : before.size() - 2); blank != std::string_view::npos)
    before.remove_prefix(blank + 1);
  auto at = content.find(std::string(before).append(word));
  if (at == std::string_view::npos) at = content.find(word);
  if (at == std::string_view::npos) return {};
  const auto line = 1 + std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  std::string anchor;
  for (const memory::Heading& heading : memory::headings_of(content))
    if (heading.line <= line) anchor = heading.anchor;
  return anchor;
}

MemoryHit load(sqlite::Database& db, const CatalogCache& cache, const Sieve& sieve, std::int64_t doc) {
  MemoryHit out;
  auto& q = db.query(
      "SELECT slug, type, created, updated, status, path, superseded_by, title, tags, content"
      " FROM docs WHERE doc_pk = ?1",
      doc);
  const Facets* facets = cache.find(doc);
  if (const auto row = q.row(); facets != nullptr && row) {
    const Place& place = cache.place(*facets);
    out.id = doc;
    sqlite::read(q, out.slug, out.type, out.created, out.updated, out.status, out.path);
    if (sieve.is_superseded(*facets)) out.superseded_by = q.str(6);
    out.changed_since = sieve.is_changed_since(*facets);
    out.title = q.str(7);
    out.tags = ascii::split(q.text(8), ' ');
    out.content = q.str(9);
    out.dialect = place.dialect;
    out.scope = place.scope;
    out.project = place.project;
    out.project_key = place.project_key;
  }
  return out;
}

void add(std::vector<MemoryHit>& to, MemoryHit hit) {
  if (hit.id != 0) to.push_back(std::move(hit));
}

// A query with words. Lives for one call.
class Question {
 public:
  Question(sqlite::Database& db, const MemorySearch& asked, const CatalogCache& cache, CatalogWords& words,
           const Sieve& sieve)
      : db_(db),
        asked_(asked),
        cache_(cache),
        words_(words),
        sieve_(sieve),
        plan_(search::plan_query(asked.asked, words.vocabularies())) {}

  void answer(MemorySearchAnswer& out) {
    out.ignored_terms = plan_.ignored;
    std::vector<search::FusionCandidate> pool = candidates();
    rank(pool);
    const auto& weights = search::evidence_weights(by_meaning_ ? model_ : std::string());
    const auto likely = [&](const search::FusionCandidate& one) {
      return search::likelihood(search::evidence(one.features, weights), weights, false);
    };
    const auto judged = std::span(pool).first(std::min<std::size_t>(pool.size(), search::kJudgedHits));
    out.nothing_relevant =
        std::ranges::none_of(judged, [&](const auto& one) { return likely(one) >= search::kPossible; });
    const auto offset = static_cast<std::size_t>(std::max(asked_.offset, 0));
    const auto end = offset + static_cast<std::size_t>(std::max(asked_.limit, 0));
    out.more = pool.size() > end;
    const search::PassageFinder passages(words_.tokenizer(), plan_);
    std::unordered_set<std::uint64_t> seen;  // worktrees contain copies
    for (std::size_t i = offset; i < std::min(pool.size(), end); ++i) {
      MemoryHit hit = load(db_, cache_, sieve_, pool[i].id);
      if (!seen.insert(hash64(hit.project_key + '\n' + hit.content)).second) continue;
      hit.relevance_score = std::clamp(pool[i].score, 0.0, 1.0);
      hit.confidence = search::confidence_of(likely(pool[i]));
      search::Passage passage = passages.best({hit.content, hit.title, {}, {}});
      hit.anchor = anchor_of(hit.content, passage);
      hit.snippet = std::move(passage.text);
      if (asked_.explain) hit.features = pool[i].features;
      add(out.hits, std::move(hit));
    }
  }

 private:
  struct Held {
    double idf = 0;
    double often = 0;  // bytes of position lists
    std::uint64_t terms = 0;
    bool drives = false;
  };

  // Returns documents with query words, ordered by how much of the query they contain.
  std::vector<std::int64_t> by_words() {
    std::unordered_map<std::int64_t, Held> held;
    const std::uint64_t required = required_terms();
    for (std::size_t i = 0; i < plan_.terms.size(); ++i) {
      const search::Term& term = plan_.terms[i];
      for (const search::TermForm& form : term.forms)
        if (!form.stems.empty()) hold(term, i, form, held);
    }
    std::vector<std::pair<std::pair<double, double>, std::int64_t>> order;
    for (const auto& [doc, h] : held)
      if (h.drives && (h.terms & required) == required && sieve_.passes(doc) && !is_excluded(doc))
        order.push_back({{h.idf, h.often}, doc});
    const std::size_t count = std::min(order.size(), kByWords + wanted());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), std::greater<>());
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(order[i].second);
    return out;
  }

  // Uses the rarest word of the form only; adjacency is checked when a document is scored.
  void hold(const search::Term& term, std::size_t number, const search::TermForm& form,
            std::unordered_map<std::int64_t, Held>& held) {
    search::TermStatistics& statistics = words_.vocabularies().statistics;
    const auto& stem = *std::min_element(form.stems.begin(), form.stems.end(), [&](const auto& a, const auto& b) {
      return statistics.document_frequency(a) < statistics.document_frequency(b);
    });
    std::unordered_set<std::int64_t> replaced;  // by a newer segment
    auto cursors = words_.index().find(stem);
    for (search::PostingCursor& cursor : cursors)
      for (; !cursor.at_end(); cursor.next()) {
        if (cursors.size() > 1 && !replaced.insert(cursor.id()).second) continue;
        if (cursor.bytes() == 0) continue;
        Held& h = held[cursor.id()];
        h.often += static_cast<double>(cursor.bytes()) * term.idf;
        h.drives |= term.drives;
        if ((h.terms & std::uint64_t{1} << number) != 0) continue;
        h.terms |= std::uint64_t{1} << number;
        h.idf += term.idf * term.found_weight;
      }
  }

  bool is_excluded(std::int64_t doc) {
    if (plan_.excluded.empty()) return false;
    return db_.query("SELECT 1 FROM docs_fts WHERE docs_fts MATCH ?1 AND rowid = ?2", plan_.excluded, doc).any();
  }

  // Without vectors, all hits are found by words.
  bool by_vectors_alone() const { return asked_.mode == SearchMode::semantic && cache_.vectors().model != 0; }

  std::size_t wanted() const {
    return static_cast<std::size_t>(std::max(asked_.offset, 0) + std::max(asked_.limit, 0) + 1);
  }

  std::vector<search::FusionCandidate> candidates() {
    const std::vector<std::int64_t> found =
        plan_.impossible || by_vectors_alone() ? std::vector<std::int64_t>() : by_words();
    std::vector<std::int64_t> ids = found;
    vectors::ScanResult scan;
    embedding::Vector vector;
    if (const std::string& text = asked_.asked.meaning;
        asked_.mode != SearchMode::lexical && cache_.vectors().model != 0 && !text.empty() && !plan_.impossible)
      vector = embedding::builtin_embedder().table().embed(text);
    by_meaning_ = std::any_of(vector.begin(), vector.end(), [](float x) { return x != 0; });
    if (by_meaning_) {
      const std::function<bool(std::int64_t)> passes = [this](std::int64_t doc) { return sieve_.passes(doc); };
      vectors::ScanRequest request;
      request.query = vector;
      request.count = kByMeaning + wanted();
      request.passes = &passes;
      request.also = found;
      scan = vectors::scan(cache_.vectors(), request);
    }
    const vectors::CosineScale scale(scan);
    std::unordered_set<std::int64_t> known(found.begin(), found.end());
    for (const vectors::Neighbour& n : scan.nearest) {
      if (asked_.mode != SearchMode::semantic && scale.z(n.cosine) < search::kLeastZ) break;
      if (required_is_missing() || is_excluded(n.exchange)) continue;
      if (known.insert(n.exchange).second) ids.push_back(n.exchange);
    }
    std::unordered_map<std::int64_t, float> cosines;
    for (std::size_t i = 0; i < scan.also.size(); ++i)
      cosines[found[i]] = scan.also[i];
    for (const vectors::Neighbour& n : scan.nearest)
      cosines[n.exchange] = n.cosine;
    search::QueryLengths lengths;
    std::vector<search::FusionCandidate> out;
    for (const auto& scored : search::TopKEvaluator(words_.index(), plan_, lengths).score(ids)) {
      search::FusionCandidate c;
      c.id = scored.id;
      c.terms = scored.terms;
      c.features = scored.features;
      if (const auto it = cosines.find(c.id); it != cosines.end()) {
        c.features.cosine = std::isnan(it->second) ? 0 : it->second;
        c.features.dense_z = scale.z(it->second);
      }
      const Facets& facets = *cache_.find(c.id);
      c.features.title = title_share(facets.title);
      c.features.surroundings = c.features.coverage;  // a memory has no surrounding exchanges
      c.features.recency = search::recency_of(facets.updated, asked_.now);
      c.features.same_project =
          !asked_.near_project.empty() && cache_.place(facets).project_key == asked_.near_project ? 1 : 0;
      const bool has_all = (c.terms & required_terms()) == required_terms();
      if (has_all && (c.terms != 0 || c.features.cosine > 0)) out.push_back(c);
    }
    return out;
  }

  std::uint64_t required_terms() const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < plan_.terms.size(); ++i)
      if (plan_.terms[i].required) out |= std::uint64_t{1} << i;
    return out;
  }

  // With required terms, only the search by words is used.
  bool required_is_missing() const { return required_terms() != 0; }

  double title_share(const std::string& title) {
    if (plan_.total_idf <= 0) return 0;
    tokens_.clear();
    words_.tokenizer().tokenize_stored(title, tokens_);
    const auto holds = [this](const std::string& stem) {
      return std::any_of(tokens_.begin(), tokens_.end(), [&](const search::Token& t) { return t.stem == stem; });
    };
    double sum = 0;
    for (const search::Term& term : plan_.terms)
      if (std::any_of(term.forms.begin(), term.forms.end(), [&](const search::TermForm& form) {
            return !form.stems.empty() && std::all_of(form.stems.begin(), form.stems.end(), holds);
          }))
        sum += term.idf * term.found_weight;
    return std::min(1.0, sum / plan_.total_idf);
  }

  void rank(std::vector<search::FusionCandidate>& pool) const {
    for (search::FusionCandidate& c : pool) {
      const Facets& facets = *cache_.find(c.id);
      c.score = asked_.mode == SearchMode::semantic && by_meaning_ ? c.features.cosine
                                                                   : search::fused_score(c.features, by_meaning_);
      if (sieve_.is_superseded(facets)) c.score *= kSuperseded;
      if (facets.status == VerificationStatus::stale) c.score *= kStale;
    }
    put_behind_successors(pool);
    std::sort(pool.begin(), pool.end(), [this](const auto& a, const auto& b) {
      if (a.score != b.score) return a.score > b.score;
      const auto& first = cache_.place(*cache_.find(a.id)).scope;
      const auto& second = cache_.place(*cache_.find(b.id)).scope;
      return first != second ? first < second : a.id > b.id;
    });
  }

  // A superseded memory never ranks before its successor.
  void put_behind_successors(std::vector<search::FusionCandidate>& pool) const {
    std::map<std::pair<std::int64_t, std::string_view>, double> scores;
    for (const search::FusionCandidate& c : pool) {
      const Facets& facets = *cache_.find(c.id);
      scores[{facets.place, facets.slug}] = c.score;
    }
    for (search::FusionCandidate& c : pool) {
      const Facets& facets = *cache_.find(c.id);
      const auto successor = scores.find({facets.place, facets.superseded_by});
      if (successor != scores.end() && sieve_.is_superseded(facets))
        c.score = std::min(c.score, successor->second * kBehind);
    }
  }

  sqlite::Database& db_;
  const MemorySearch& asked_;
  const CatalogCache& cache_;
  CatalogWords& words_;
  const Sieve& sieve_;
  const search::QueryPlan plan_;
  const std::string model_ = embedding::builtin_embedder().model().name;
  bool by_meaning_ = false;
  std::vector<search::Token> tokens_;
};

// Returns the memories that changed last.
void newest(sqlite::Database& db, const MemorySearch& asked, const CatalogCache& cache, const Sieve& sieve,
            MemorySearchAnswer& out) {
  std::vector<std::pair<TimeMs, std::int64_t>> found;
  for (const auto& [doc, facets] : cache.docs())
    if (sieve.passes(facets)) found.emplace_back(facets.updated, doc);
  std::sort(found.begin(), found.end(), std::greater<>());
  const auto offset = static_cast<std::size_t>(std::max(asked.offset, 0));
  const auto end = offset + static_cast<std::size_t>(std::max(asked.limit, 0));
  out.more = found.size() > end;
  for (std::size_t i = offset; i < std::min(found.size(), end); ++i) {
    MemoryHit hit = load(db, cache, sieve, found[i].second);
    hit.relevance_score = 1;
    add(out.hits, std::move(hit));
  }
}

// Runs `question` on the catalog of a connection. Returns false if it is unusable; `state` gives the reason.
template <class F>
bool with_catalog(sqlite::Database& db, CatalogState& state, F&& question) {
  try {
    const CatalogStatus status = CatalogStatusQuery{}.run(db);
    state = status.state;
    if (status.state == CatalogState::corrupted) return false;
    CatalogCache& cache = db.kept<CatalogCache>();
    cache.refresh(db, status);
    question(status, cache);
    return true;
  } catch (const ErrorException& e) {
    if (!e.error().is(Errc::store) && !e.error().is(Errc::store_corrupt)) throw;
    state = CatalogState::corrupted;
    return false;
  }
}

}  // namespace

MemorySearchAnswer MemorySearch::run(sqlite::Database& db) const {
  MemorySearchAnswer out;
  const auto ask = [&](const CatalogStatus& status, const CatalogCache& cache) {
    out.docs = status.docs;
    if (!asked.tools.empty() || !asked.platforms.empty()) return;
    MemoryFilter whole = filter;
    whole.paths.insert(whole.paths.end(), asked.paths.begin(), asked.paths.end());
    if (!asked.project.empty()) whole.project = asked.project;
    whole.since = std::max(whole.since, asked.since);
    if (asked.until != 0) whole.until = whole.until == 0 ? asked.until : std::min(whole.until, asked.until);
    const Sieve sieve(cache, whole);
    if (asked.wanted.empty()) return newest(db, *this, cache, sieve, out);
    if (status.docs == 0) {
      out.nothing_relevant = true;
      return;
    }
    CatalogWords& words = db.kept<KeptWords>().of(db, status);
    words.refresh();
    Question(db, *this, cache, words, sieve).answer(out);
  };
  CatalogState state = CatalogState::valid;
  if (!with_catalog(db, state, ask)) out = {};
  out.state = state;
  return out;
}

std::vector<MemoryHit> MemoriesOfFiles::run(sqlite::Database& db) const {
  std::vector<MemoryHit> out;
  CatalogState state{};
  (void)with_catalog(db, state, [&](const CatalogStatus&, const CatalogCache& cache) {
    const Sieve sieve(cache, filter);
    std::unordered_map<std::int64_t, int> named;
    for (const std::string& file : files) {
      const auto slash = file.rfind('/');
      const std::string name = ascii::lowered(slash == std::string::npos ? file : file.substr(slash + 1));
      auto& q = db.prepare("SELECT doc_pk, file FROM doc_files WHERE name = ?1");
      for (q.bind(name); q.step();) {
        // One path must be a suffix of the other.
        const std::string_view told = q.text(1);
        const std::string_view longer = told.size() > file.size() ? told : std::string_view(file);
        const std::string_view shorter = told.size() > file.size() ? std::string_view(file) : told;
        const bool same = longer.ends_with(shorter) && (longer.size() == shorter.size() || shorter.front() == '/' ||
                                                        longer[longer.size() - shorter.size() - 1] == '/');
        if (same && sieve.passes(q.int64(0))) ++named[q.int64(0)];
      }
    }
    std::vector<std::pair<std::pair<int, TimeMs>, std::int64_t>> order;
    for (const auto& [doc, count] : named)
      order.push_back({{count, cache.find(doc)->updated}, doc});
    std::sort(order.begin(), order.end(), std::greater<>());
    for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(std::max(limit, 0))); ++i)
      add(out, load(db, cache, sieve, order[i].second));
  });
  return out;
}

std::vector<MemoryHit> MemoriesOfSlug::run(sqlite::Database& db) const {
  std::vector<MemoryHit> out;
  CatalogState state{};
  (void)with_catalog(db, state, [&](const CatalogStatus&, const CatalogCache& cache) {
    MemoryFilter all;
    all.project = project;
    const Sieve sieve(cache, all);
    std::vector<std::int64_t> found;
    auto& q = db.prepare("SELECT doc_pk FROM docs WHERE slug = ?1");
    for (q.bind(slug); q.step();)
      if (sieve.passes(q.int64(0))) found.push_back(q.int64(0));
    std::sort(found.begin(), found.end(), [&](std::int64_t a, std::int64_t b) {
      const MemoryScope first = cache.place(*cache.find(a)).scope;
      const MemoryScope second = cache.place(*cache.find(b)).scope;
      return first != second ? first < second : a < b;
    });
    for (const std::int64_t doc : found)
      add(out, load(db, cache, sieve, doc));
  });
  return out;
}

}  // namespace memd::catalog
