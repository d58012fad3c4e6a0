#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// A vector in an eighth of its bytes, to estimate cosines with (the idea of RaBitQ, without the rotation): the signs of
// what sets it apart from the mean of all vectors, and two numbers that say how much that is.
namespace memd::vectors {

struct SketchShape {
  float spread = 0;  // |r|² / Σ|r[d]|, r = unit vector - centre
  float offset = 0;  // |r|² / 2
};

// signs: 64 dimensions a word; 1 where the vector is below the centre. inverse: 1 / length of `codes`.
SketchShape sketch(std::span<const std::int8_t> codes, float inverse, std::span<const float> centre,
                   std::uint64_t* signs);

// A query as two planes of bits: how far each component is from the centre, in steps of 0 to 3.
class QuerySketch {
 public:
  QuerySketch(std::span<const float> query, std::span<const float> centre, std::size_t words);

  const std::uint64_t* signs() const { return planes_.data(); }
  const std::uint64_t* low() const { return planes_.data() + words_; }
  const std::uint64_t* high() const { return planes_.data() + 2 * words_; }

  // Grow as the cosines do. `differing`: of Kernels::differences(). All of `out.size()`.
  void estimate(const std::uint16_t* differing, const float* spread, const float* offset, std::span<float> out) const;

 private:
  std::size_t words_;
  std::vector<std::uint64_t> planes_;
  float all_ = 0;    // Σ steps, times the size of a step
  float twice_ = 0;  // the size of two steps
};

}  // namespace memd::vectors
