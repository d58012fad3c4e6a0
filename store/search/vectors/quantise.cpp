#include "store/search/vectors/quantise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

}  // namespace memd::vectors
