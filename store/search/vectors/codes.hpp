#pragma once

#include "schemas/ids.hpp"
#include "store/search/vectors/kernels.hpp"
#include "store/search/vectors/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Quantisation of vectors to signed bytes and to sign sketches.
namespace memd::vectors {

// Appends `vector` as signed bytes, scaled so that its largest component becomes ±127. Each component is rounded to the
// nearest step. A zero vector, or one with an infinite or NaN component, becomes zeros.
void append_quantised(std::span<const float> vector, std::vector<std::int8_t>& out);

// Returns 1 / length; 0 for a vector without direction.
float inverse_length(std::span<const std::int8_t> codes);

// A row in the layout of the kernels: aligned and zero-padded. Owns its memory. One thread at a time.
class AlignedRow {
 public:
  explicit AlignedRow(std::size_t stride) : memory_(stride + kRowAlignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    row_ = memory_.data() + (kRowAlignment - address % kRowAlignment) % kRowAlignment;
  }
  AlignedRow(const AlignedRow&) = delete;
  AlignedRow& operator=(const AlignedRow&) = delete;

  std::int8_t* data() { return row_; }

 private:
  std::vector<std::int8_t> memory_;
  std::int8_t* row_;
};

// Cosines of a quantised query to rows fetched from the store. Keeps the exchange fetched last, because its chunks are
// requested one after the other. One thread.
class FetchedRows {
 public:
  FetchedRows(const StoredCodes* stored, const std::int8_t* query, float query_inverse, std::size_t dimension,
              std::size_t stride, const Kernels& kernels)
      : stored_(stored),
        query_(query),
        inverse_(query_inverse),
        dimension_(dimension),
        stride_(stride),
        kernels_(kernels),
        row_(stride) {}

  // Returns NaN when the store no longer has the chunk or the chunk has no direction.
  float cosine(ExchangeId exchange, std::size_t chunk);

 private:
  const StoredCodes* stored_;
  const std::int8_t* query_;
  float inverse_;
  std::size_t dimension_;
  std::size_t stride_;
  const Kernels& kernels_;
  AlignedRow row_;
  ExchangeId fetched_ = INT64_MIN;
  std::vector<std::int8_t> codes_;
};

// The two numbers that a sketch stores beside its sign bits. A sketch estimates cosines from one bit per dimension, an
// eighth of the codes' bytes (as RaBitQ, without the rotation). The bits are the signs of r = unit vector - centre,
// where the centre is the mean of the unit vectors.
struct SketchShape {
  float spread = 0;  // |r|² / Σ|r[d]|: factor of the estimated dot product of r and the query
  float offset = 0;  // |r|² / 2: subtracted from it
};

// Writes the sign bits to `signs`, 64 dimensions per word, 1 where the vector is below the centre. Returns the numbers.
// `inverse`: 1 / length of `codes`.
SketchShape sketch(std::span<const std::int8_t> codes, float inverse, std::span<const float> centre,
                   std::uint64_t* signs);

// A query as sign bits and two bit planes with the distance of each component from the centre in 0 to 3 steps.
// Constant after construction; any thread may read it.
class QuerySketch {
 public:
  QuerySketch(std::span<const float> query, std::span<const float> centre, std::size_t words);

  const std::uint64_t* signs() const { return planes_.data(); }
  const std::uint64_t* low() const { return planes_.data() + words_; }
  const std::uint64_t* high() const { return planes_.data() + 2 * words_; }

  // Fills `out` with estimates that rise with the cosines. `differing`: from Kernels::differences(). All arrays have
  // `out.size()` elements.
  void estimate(const std::uint16_t* differing, const float* spread, const float* offset, std::span<float> out) const;

 private:
  std::size_t words_;
  std::vector<std::uint64_t> planes_;
  float all_ = 0;    // Σ steps · size of a step
  float twice_ = 0;  // 2 · size of a step
};

}  // namespace memd::vectors
