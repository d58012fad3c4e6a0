#include "store/search/vectors/codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

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
    out[first + i] = static_cast<std::int8_t>(v < 0 ? v - 0.5 : v + 0.5);  // rounded: the conversion cuts
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
  kernels_.dots(query_, row_.data(), 1, stride_, &dot);
  return static_cast<float>(dot) * (inverse * inverse_);
}

}  // namespace memd::vectors
