#include "store/search/match_scorer.hpp"

#include "store/sqlite/statement.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace memd::search {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;
constexpr double kFullBm25 = 1.6;                           // times Σ idf counts as the most there is
constexpr std::array<double, 4> kColumnWeight{3, 3, 2, 1};  // user, interventions, assistant, tools
constexpr std::size_t kPlaces = 48;                         // of one term in one document
constexpr int kNear = 3;                                    // words typed apart that still count as neighbours

double saturated(double weight, double length_ratio) {
  return weight * (kK1 + 1) / (weight + kK1 * (1 - kB + kB * length_ratio));
}

}  // namespace

MatchScorer::MatchScorer(sqlite3* db) {
  fts5_api* api = fts5_of(db);
  if (const int rc = api->xCreateFunction(api, "memd_match", this, &MatchScorer::call, nullptr); rc != SQLITE_OK)
    throw ErrorException(sqlite::make_error(db, rc, "register memd_match"));
}

void MatchScorer::begin(const QueryPlan& plan) {
  plan_ = &plan;
  threshold_ = 0;
  mean_length_ = 0;
  hits_.resize(std::max(hits_.size(), plan.terms.size()));
  neighbours_.clear();
  std::vector<std::size_t> typed(plan.terms.size());
  std::iota(typed.begin(), typed.end(), std::size_t{0});
  std::sort(typed.begin(), typed.end(),
            [&](std::size_t a, std::size_t b) { return plan.terms[a].position < plan.terms[b].position; });
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    const Term& a = plan.terms[typed[i]];
    const int apart = plan.terms[typed[i + 1]].position - a.position;
    if (apart <= kNear)
      neighbours_.push_back({typed[i], typed[i + 1], apart + static_cast<std::int64_t>(a.stems.size()) - 1});
  }
}

void MatchScorer::call(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
                       sqlite3_value**) {
  auto* self = static_cast<MatchScorer*>(api->xUserData(context));
  if (self->plan_ == nullptr) return sqlite3_result_error(result, "memd_match outside a search", -1);
  sqlite3_result_double(result, self->score(*api, context));
}

double MatchScorer::score(const Fts5ExtensionApi& api, Fts5Context* context) {
  const double coverage = find_terms(api, context);
  const auto text_score = [&](double length) { return kTextWeight * (bm25(length) + coverage) / 2; };
  // The length of a document costs a lookup: only for those that could do.
  if (text_score(0) + kNeighbourWeight < threshold_) return -1;
  last_.coverage = coverage;
  last_.bm25 = bm25(length_ratio(api, context));
  last_.adjacency = side_by_side(coverage);
  return kTextWeight * (last_.bm25 + coverage) / 2 + kNeighbourWeight * last_.adjacency;
}

// Fills hits_; the idf-weighted share of the terms found.
double MatchScorer::find_terms(const Fts5ExtensionApi& api, Fts5Context* context) {
  double found = 0;
  last_terms_ = 0;
  for (std::size_t i = 0; i < plan_->terms.size(); ++i) {
    Hits& hits = hits_[i];
    hits.weight = 0;
    hits.places.clear();
    Fts5PhraseIter it;
    int column = 0;
    int word = 0;
    if (api.xPhraseFirst(context, static_cast<int>(i), &it, &column, &word) != SQLITE_OK) continue;
    for (; column >= 0 && hits.places.size() < kPlaces; api.xPhraseNext(context, &it, &column, &word)) {
      hits.weight += kColumnWeight[static_cast<std::size_t>(column)];
      hits.places.push_back((static_cast<std::int64_t>(column) << 32) | word);
    }
    if (hits.weight <= 0) continue;
    found += plan_->terms[i].idf;
    if (i < 64) last_terms_ |= std::uint64_t{1} << i;
  }
  return plan_->total_idf > 0 ? std::min(1.0, found / plan_->total_idf) : 0;
}

double MatchScorer::bm25(double length_ratio) const {
  double sum = 0;
  for (std::size_t i = 0; i < plan_->terms.size(); ++i)
    if (hits_[i].weight > 0) sum += plan_->terms[i].idf * saturated(hits_[i].weight, length_ratio);
  return plan_->total_idf > 0 ? std::min(1.0, sum / (kFullBm25 * plan_->total_idf)) : 0;
}

double MatchScorer::side_by_side(double coverage) const {
  if (neighbours_.empty()) return coverage;
  int found = 0;
  for (const Neighbours& pair : neighbours_) {
    const auto& first = hits_[pair.first].places;
    const auto& second = hits_[pair.second].places;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      if (second[j] <= first[i]) {
        ++j;
      } else if (second[j] - first[i] <= pair.reach) {
        ++found;
        break;
      } else {
        ++i;
      }
    }
  }
  return static_cast<double>(found) / static_cast<double>(neighbours_.size());
}

double MatchScorer::length_ratio(const Fts5ExtensionApi& api, Fts5Context* context) {
  if (mean_length_ <= 0) {
    sqlite3_int64 words = 0;
    sqlite3_int64 rows = 0;
    api.xColumnTotalSize(context, -1, &words);
    api.xRowCount(context, &rows);
    mean_length_ = std::max(1.0, static_cast<double>(words) / static_cast<double>(std::max<sqlite3_int64>(rows, 1)));
  }
  int length = 0;
  api.xColumnSize(context, -1, &length);
  return static_cast<double>(length) / mean_length_;
}

}  // namespace memd::search
