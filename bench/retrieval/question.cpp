#include "bench/retrieval/question.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace memd::bench {

std::vector<std::string> ranked_keys(const std::vector<Hit>& hits, Unit unit) {
  std::vector<std::string> keys;
  std::set<std::string_view> seen;
  for (const Hit& hit : hits) {
    const std::string& key = unit == Unit::exchange ? hit.exchange_id : hit.session_uid;
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

RankedList reciprocal_rank_fusion(const std::vector<const RankedList*>& lists) {
  RankedList fused;
  std::unordered_map<std::string, std::size_t> place;
  for (const RankedList* list : lists) {
    fused.milliseconds += list->milliseconds;
    for (std::size_t rank = 0; rank < list->hits.size(); ++rank) {
      const Hit& hit = list->hits[rank];
      const auto [at, is_new] = place.try_emplace(hit.exchange_id, fused.hits.size());
      if (is_new) fused.hits.push_back({hit.exchange_id, hit.session_uid, 0, {}});
      fused.hits[at->second].score += 1 / (60 + static_cast<double>(rank + 1));
    }
  }
  std::stable_sort(fused.hits.begin(), fused.hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  return fused;
}

namespace {

constexpr int kResamples = 2000;

double discount(std::size_t rank) { return 1 / std::log2(static_cast<double>(rank) + 2); }

}  // namespace

double recall(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k) {
  if (relevant.empty()) return 0;
  std::set<std::string> found;
  for (std::size_t i = 0; i < std::min(k, ranking.size()); ++i)
    if (relevant.contains(ranking[i])) found.insert(ranking[i]);
  return static_cast<double>(found.size()) / static_cast<double>(relevant.size());
}

double ndcg(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k) {
  if (relevant.empty()) return 0;
  double gained = 0;
  for (std::size_t i = 0; i < std::min(k, ranking.size()); ++i)
    if (relevant.contains(ranking[i])) gained += discount(i);
  double ideal = 0;
  for (std::size_t i = 0; i < std::min(k, relevant.size()); ++i)
    ideal += discount(i);
  return gained / ideal;
}

double hit(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k) {
  for (std::size_t i = 0; i < std::min(k, ranking.size()); ++i)
    if (relevant.contains(ranking[i])) return 1;
  return 0;
}

double reciprocal_rank(const Keys& ranking, const std::set<std::string>& relevant) {
  for (std::size_t i = 0; i < ranking.size(); ++i)
    if (relevant.contains(ranking[i])) return 1 / static_cast<double>(i + 1);
  return 0;
}

Estimate bootstrap_mean(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto n = values.size();
  double sum = 0;
  for (const double v : values)
    sum += v;
  std::mt19937_64 random(20261122);
  std::vector<double> means;
  means.reserve(kResamples);
  for (int r = 0; r < kResamples; ++r) {
    double resampled = 0;
    for (std::size_t i = 0; i < n; ++i)
      resampled += values[random() % n];
    means.push_back(resampled / static_cast<double>(n));
  }
  std::sort(means.begin(), means.end());
  return {sum / static_cast<double>(n), means[kResamples * 25 / 1000], means[kResamples * 975 / 1000 - 1]};
}

Estimate bootstrap_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::invalid_argument("bootstrap_difference: not the same questions");
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    differences.push_back(a[i] - b[i]);
  return bootstrap_mean(differences);
}

}  // namespace memd::bench
