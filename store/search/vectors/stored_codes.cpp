#include "store/search/vectors/stored_codes.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace memd::vectors {

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
