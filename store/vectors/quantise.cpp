#include "store/vectors/quantise.hpp"

#include <algorithm>
#include <cmath>

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
  for (const float v : vector)
    out.push_back(static_cast<std::int8_t>(std::lround(double{v} / double{largest} * 127)));
}

}  // namespace memd::vectors
