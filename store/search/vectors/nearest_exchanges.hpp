#pragma once

#include "store/search/vectors/vector_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memd::vectors {

// Keeps the best chunk of each of the `count` nearest exchanges out of any number of chunks. Equal cosines: the newer
// exchange, the earlier chunk; so the result does not depend on the order of the rows.
class NearestExchanges {
 public:
  explicit NearestExchanges(std::size_t count) : count_(count) {
    if (count == 0) threshold_ = 2;
  }

  // A chunk below is not among the nearest, whatever comes.
  float threshold() const { return threshold_; }
  void add(ExchangeId exchange, std::uint32_t row, float cosine);

  struct Found {
    ExchangeId exchange = 0;
    std::uint32_t row = 0;
    float cosine = 0;
  };
  std::vector<Found> take();  // best first

 private:
  void compact();

  std::size_t count_;
  float threshold_ = -2;
  std::vector<Found> found_;
};

}  // namespace memd::vectors
