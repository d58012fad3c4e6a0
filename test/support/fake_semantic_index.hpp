#pragma once

#include "schemas/base/result.hpp"
#include "store/search/vectors/semantic_index.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace memd::test {

// A semantic index over vectors that the test supplies. Scans them one by one.
class FakeSemanticIndex final : public search::SemanticIndex {
 public:
  Result<search::QueryVector> embed(std::string_view question, std::stop_token) override {
    asked.emplace_back(question);
    if (is_down) return Error::from_errno(ECONNREFUSED, "connect", "ollama");
    const auto it = questions.find(std::string(question));
    return search::QueryVector{"fake/one", it == questions.end() ? std::vector<float>() : it->second};
  }

  vectors::ScanResult scan(sqlite::Database&, const search::QueryVector& question,
                           vectors::ScanRequest request) override {
    vectors::ScanResult out;
    std::map<ExchangeId, float> cosines;
    for (const auto& [id, vector] : exchanges) {
      float dot = 0;
      for (std::size_t i = 0; i < vector.size(); ++i)
        dot += vector[i] * question.vector.at(i);
      cosines[id] = dot;
      out.mean += dot;
      out.deviation += dot * dot;
    }
    out.scanned = static_cast<std::int64_t>(exchanges.size());
    const double n = std::max<double>(1, static_cast<double>(exchanges.size()));
    out.mean /= n;
    out.deviation = std::sqrt(std::max(0.0, out.deviation / n - out.mean * out.mean));
    for (const auto& [id, cosine] : cosines)
      if (id >= request.first && id <= request.last && (request.passes == nullptr || (*request.passes)(id)))
        out.nearest.push_back({id, 0, cosine});
    std::sort(out.nearest.begin(), out.nearest.end(), [](auto& a, auto& b) { return a.cosine > b.cosine; });
    out.nearest.resize(std::min(out.nearest.size(), request.count));
    for (const ExchangeId id : request.also)
      out.also.push_back(cosines.contains(id) ? cosines[id] : std::numeric_limits<float>::quiet_NaN());
    return out;
  }

  std::vector<float> second_look(sqlite::Database&, const search::QueryVector&,
                                 std::span<const ExchangeId> ids) override {
    std::vector<float> out;
    for (const ExchangeId id : ids)
      out.push_back(looks.contains(id) ? looks[id] : std::numeric_limits<float>::quiet_NaN());
    return out;
  }

  search::SemanticState state(sqlite::Database&) override {
    return {"fake/one", "", static_cast<std::int64_t>(exchanges.size()), pending, trouble};
  }

  // Returns a unit vector of three dimensions: `share` along the first axis, the rest along the second.
  static std::vector<float> along(float share) { return {share, std::sqrt(1 - share * share), 0}; }

  std::map<std::string, std::vector<float>> questions;
  std::map<ExchangeId, std::vector<float>> exchanges;
  std::map<ExchangeId, float> looks;  // cosines of the second look
  std::vector<std::string> asked;
  bool is_down = false;  // questions cannot be embedded
  std::int64_t pending = 0;
  std::string trouble;
};

}  // namespace memd::test
