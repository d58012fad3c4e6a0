#include "bench/retrieval/ranking_cases.hpp"

#include "store/db/database.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_set>

namespace memd::bench {
namespace {

constexpr std::size_t kShown = 10;
constexpr TimeMs kAskedAt = 1'795'305'600'000;  // 2026-11-22: the same answers on any day

// A store's vectors of the built-in model, in this process. One thread.
class BuiltinSemanticIndex final : public search::SemanticIndex {
 public:
  Result<search::QueryVector> embed(std::string_view question, std::stop_token stop) override {
    auto vectors = embedding::builtin_embedder().embed(std::span(&question, 1), embedding::Purpose::query, stop);
    if (!vectors) return vectors.error();
    return search::QueryVector{model(), std::move((*vectors)[0])};
  }
  vectors::ScanResult scan(sqlite::Database& db, const search::QueryVector& question,
                           vectors::ScanRequest request) override {
    index_.refresh(db);
    request.query = question.vector;
    return index_.scan(db, request);
  }
  search::SemanticState state(sqlite::Database&) override { return {model(), "", index_.exchanges(), 0, ""}; }

 private:
  static std::string model() { return embedding::builtin_embedder().model().name; }

  vectors::VectorIndex index_{model()};
};

std::shared_ptr<const CaseDocuments> documents_of(const IndexedHome& home) {
  auto out = std::make_shared<CaseDocuments>();
  std::map<std::string_view, std::size_t> texts;
  for (const Document& document : home.documents()) {
    const auto id = parse_exchange_id(document.exchange_id);
    if (!id) throw std::runtime_error("no exchange id: " + document.exchange_id);
    const std::size_t text = texts.try_emplace(document.text, texts.size()).first->second;
    out->emplace(*id, CaseDocument{{document.exchange_id, document.session_uid, 0, {}}, text});
  }
  return out;
}

}  // namespace

bool RankingCase::has(std::string_view group) const {
  return std::find(question.groups.begin(), question.groups.end(), group) != question.groups.end();
}

std::string RankingCase::dialog() const {
  constexpr std::string_view kDialog = "dialog ";
  const auto at = std::find_if(question.groups.begin(), question.groups.end(),
                               [&](const std::string& group) { return group.starts_with(kDialog); });
  return at == question.groups.end() ? std::string() : *at;
}

CaseAnswer answer(const RankingCase& c, Unit unit, const search::RankingWeights& weights) {
  auto candidates = c.pool.candidates;
  search::add_context(candidates, c.pool.shares, weights);
  search::rank(candidates, c.by_meaning, weights);
  CaseAnswer out;
  std::unordered_set<std::size_t> texts;
  std::set<std::string_view> keys;
  for (const search::FusionCandidate& candidate : candidates) {
    if (keys.size() == kShown) break;
    const CaseDocument& document = c.documents->at(candidate.id);
    if (!texts.insert(document.text).second) continue;
    keys.insert(unit == Unit::session ? document.hit.session_uid : document.hit.exchange_id);
    out.list.hits.push_back(document.hit);
    out.features.push_back(candidate.features);
  }
  return out;
}

void RankingCases::add(const Experiment::Plan& plan, const IndexedHome& home, const std::vector<Question>& questions) {
  plans_.emplace(plan.name, plan);
  const auto documents = documents_of(home);
  auto db = sqlite::Database::open(home.database(), sqlite::OpenMode::read_only);
  search::HybridSearch search(db);
  BuiltinSemanticIndex index;
  search::KnownLengths lengths;
  for (const Question& question : questions) {
    SearchQuery query;
    query.text = question.text;
    query.now = kAskedAt;
    auto vector = index.embed(search::question_of(question.text), {});
    if (!vector) throw std::runtime_error(vector.error().message());
    search::SemanticQuestion by_meaning{&index, *std::move(vector), {}};
    for (const bool hybrid : {false, true}) {
      RankingCase c{plan.name, hybrid, question, {}, documents};
      if (!c.has("train") && !c.has("test")) break;
      query.mode = hybrid ? SearchMode::hybrid : SearchMode::lexical;
      c.pool = search.pool(query, hybrid ? by_meaning : search::SemanticQuestion{}, lengths);
      cases_.push_back(std::move(c));
    }
  }
}

}  // namespace memd::bench
