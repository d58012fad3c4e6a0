#include "bench/retrieval/question.hpp"

#include <algorithm>
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

}  // namespace memd::bench
