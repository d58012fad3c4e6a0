#include "store/search/vectors/codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>

namespace memd::vectors {

void append_quantised(std::span<const float> vector, std::vector<std::int8_t>& out) {
  float largest = 0;
  bool finite = true;
  for (const float v : vector) {
    finite = finite && std::isfinite(v);
    largest = std::max(largest, std::fabs(v));
  }
  if (!finite || largest == 0) {
    out.resize(out.size() + vector.size());
    return;
  }
  const double scale = 127 / double{largest};
  const std::size_t first = out.size();
  out.resize(first + vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double v = vector[i] * scale;
    out[first + i] = static_cast<std::int8_t>(v < 0 ? v - 0.5 : v + 0.5);  // rounds, because the conversion truncates
  }
}

float inverse_length(std::span<const std::int8_t> codes) {
  std::int32_t square = 0;
  for (const std::int8_t code : codes)
    square += code * code;
  return square == 0 ? 0.F : 1.F / std::sqrt(static_cast<float>(square));
}

float FetchedRows::cosine(ExchangeId exchange, std::size_t chunk) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  if (stored_ == nullptr) return kNone;
  if (exchange != fetched_) {
    codes_.clear();
    (*stored_)(exchange, codes_);
    fetched_ = exchange;
  }
  if (codes_.size() % dimension_ != 0 || (chunk + 1) * dimension_ > codes_.size()) return kNone;
  std::memcpy(row_.data(), codes_.data() + chunk * dimension_, dimension_);
  const float inverse = inverse_length({row_.data(), dimension_});
  if (inverse == 0) return kNone;
  std::int32_t dot = 0;
  kernels_.dots(query_, 1, row_.data(), 1, stride_, &dot);
  return static_cast<float>(dot) * (inverse * inverse_);
}

namespace {

// Distance from the centre that maps to the largest step, in units of the mean distance. It corresponds to about two
// standard deviations; larger distances are clamped.
constexpr double kLargest = 2.45;
constexpr int kSteps = 3;

}  // namespace

SketchShape sketch(std::span<const std::int8_t> codes, float inverse, std::span<const float> centre,
                   std::uint64_t* signs) {
  constexpr std::size_t kLanes = 16;  // independent partial sums, so that compilers can vectorise
  float squares[kLanes] = {};
  float sums[kLanes] = {};
  for (std::size_t first = 0; first < codes.size(); first += 64) {
    float r[64] = {};
    const std::size_t count = std::min<std::size_t>(64, codes.size() - first);
    for (std::size_t d = 0; d < count; ++d)
      r[d] = static_cast<float>(codes[first + d]) * inverse - centre[first + d];
    for (std::size_t d = 0; d < 64; d += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        squares[lane] += r[d + lane] * r[d + lane];
        sums[lane] += std::fabs(r[d + lane]);
      }
    std::uint8_t negative[64];
    for (std::size_t d = 0; d < 64; ++d)
      negative[d] = r[d] < 0 ? 1 : 0;
    std::uint64_t word = 0;
    for (std::size_t d = 0; d < 64; d += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, negative + d, sizeof eight);
      word |= (eight * 0x0102040810204080U >> 56) << d;  // gathers the lowest bit of each of the eight bytes
    }
    signs[first / 64] = word;
  }
  const float square = std::accumulate(std::begin(squares), std::end(squares), 0.F);
  const float sum = std::accumulate(std::begin(sums), std::end(sums), 0.F);
  return {sum > 0 ? square / sum : 0, square / 2};
}

QuerySketch::QuerySketch(std::span<const float> query, std::span<const float> centre, std::size_t words)
    : words_(words), planes_(3 * words) {
  double mean = 0;
  for (std::size_t d = 0; d < query.size(); ++d)
    mean += std::fabs(query[d] - centre[d]);
  mean /= static_cast<double>(query.size());
  double dot = 0;  // of the distances and their steps
  double squares = 0;
  double steps = 0;
  for (std::size_t d = 0; d < query.size(); ++d) {
    const double p = query[d] - centre[d];
    const int step = mean > 0 ? std::min(kSteps, static_cast<int>(std::fabs(p) / (mean * kLargest) * kSteps + 0.5)) : 0;
    const auto at = [&](std::size_t plane, bool on) {
      planes_[plane * words_ + d / 64] |= std::uint64_t{on} << d % 64;
    };
    at(0, p < 0);
    at(1, (step & 1) != 0);
    at(2, (step & 2) != 0);
    dot += std::fabs(p) * step;
    squares += step * step;
    steps += step;
  }
  const double unit = squares > 0 ? dot / squares : 0;
  all_ = static_cast<float>(unit * steps);
  twice_ = static_cast<float>(unit * 2);
}

void QuerySketch::estimate(const std::uint16_t* differing, const float* spread, const float* offset,
                           std::span<float> out) const {
  const float all = all_;
  const float twice = twice_;
  float* const to = out.data();
  for (std::size_t i = 0; i < out.size(); ++i)
    to[i] = spread[i] * (all - twice * static_cast<float>(differing[i])) - offset[i];
}

}  // namespace memd::vectors
