#include "bench/retrieval/ranking_cases.hpp"

#include "daemon/models/serving_index.hpp"
#include "store/db/database.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_set>

namespace memd::bench {
namespace {

constexpr std::size_t kShown = 10;
constexpr TimeMs kAskedAt = 1'795'305'600'000;  // 2026-11-22; fixed, so that results do not depend on the day

// Returns the verdicts for the first phrasing alone and for all together.
std::vector<ScopedVerdict> verdicts(search::HybridSearch& search, SearchQuery query,
                                    std::span<const search::SemanticQuestion> by_meaning,
                                    search::QueryLengths& lengths) {
  query.count_outside = true;
  SearchQuery alone = query;
  alone.also.clear();
  std::vector<ScopedVerdict> out;
  for (const SearchQuery& asked : {alone, query}) {
    const SearchAnswer answer = search.search(asked, by_meaning, lengths);
    out.push_back({answer.likelihood, answer.outside->likelihood});
  }
  return out;
}

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
  const auto models = embedding::make_models({});
  embedding::ServingIndex index(home.database(), [&] { return models; });
  search::QueryLengths lengths;
  for (const Question& question : questions) {
    SearchQuery query;
    query.text = question.text;
    query.also = question.also;
    query.now = kAskedAt;
    if (plan.in_project) query.filter.project = project_tree(question.directory);
    std::vector<std::string> texts{search::question_of(question.text)};
    texts.insert(texts.end(), question.also.begin(), question.also.end());
    std::vector<search::SemanticQuestion> by_meaning;
    for (const std::string& text : texts) {
      auto vector = index.embed(text, {});
      if (!vector) throw std::runtime_error(vector.error().message());
      by_meaning.push_back({&index, *std::move(vector), {}});
    }
    for (const bool hybrid : {false, true}) {
      RankingCase c{plan.name, hybrid, question, {}, {}, documents};
      if (!c.has("train") && !c.has("test") && !c.has("final")) break;
      query.mode = hybrid ? SearchMode::hybrid : SearchMode::lexical;
      if (plan.in_project) {
        c.verdicts = verdicts(search, query, hybrid ? by_meaning : std::vector<search::SemanticQuestion>{}, lengths);
        cases_.push_back(std::move(c));
        continue;
      }
      auto pools = search.pools(query, hybrid ? by_meaning : std::vector<search::SemanticQuestion>{}, lengths);
      c.pool = std::move(pools.front());
      for (auto it = pools.begin() + 1; it != pools.end(); ++it)
        c.also.push_back(std::move(*it));
      cases_.push_back(std::move(c));
    }
  }
}

void RankingCases::dump(const std::filesystem::path& file) const {
  std::ofstream out(file);
  for (const RankingCase& c : cases_) {
    boost::json::object line{{"part", c.part}, {"hybrid", c.by_meaning}, {"question", c.question.text}};
    line["groups"] = boost::json::value_from(c.question.groups);
    line["relevant"] = boost::json::value_from(c.question.relevant);
    if (!c.verdicts.empty()) {
      boost::json::array& verdicts = line["verdicts"].emplace_array();
      for (const ScopedVerdict& v : c.verdicts)
        verdicts.push_back({v.inside, v.outside});
      out << boost::json::serialize(line) << '\n';
      continue;
    }
    boost::json::array pools;
    boost::json::array shares;  // each known term's share of the question's weight
    const auto add = [&](const search::HybridSearch::Pool& pool) {
      shares.push_back(boost::json::value_from(pool.shares));
      boost::json::array& hits = pools.emplace_back(boost::json::array()).as_array();
      for (const search::FusionCandidate& h : pool.candidates) {
        const CaseDocument& d = c.documents->at(h.id);
        const RankingFeatures& f = h.features;
        hits.push_back({d.hit.exchange_id, d.hit.session_uid, d.text,     h.sort_key(), f.bm25,
                        f.coverage,        f.adjacency,       f.title,    f.identifier, f.brevity,
                        f.neighbour_turns, f.surroundings,    f.cosine,   f.dense_z,    f.date,
                        f.tokens,          f.decision,        f.subagent, f.verbatim,   h.terms,
                        f.second_look});
      }
    };
    add(c.pool);
    std::for_each(c.also.begin(), c.also.end(), add);
    line["pools"] = std::move(pools);
    line["shares"] = std::move(shares);
    out << boost::json::serialize(line) << '\n';
  }
}

}  // namespace memd::bench
