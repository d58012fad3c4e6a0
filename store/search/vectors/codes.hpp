#pragma once

#include "schemas/ids.hpp"
#include "store/search/vectors/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace memd::vectors {

// Appends `vector` as signed bytes: its largest component becomes ±127. The direction is kept to about half a step; a
// zero vector, or one with a component that is not a number, becomes zeros.
void append_quantised(std::span<const float> vector, std::vector<std::int8_t>& out);

// The chunks of an exchange as the store has them now: chunks × dimension signed bytes; empty when there are none.
using StoredCodes = std::function<void(ExchangeId, std::vector<std::int8_t>&)>;

// 1 / length; 0 for a vector without direction.
float inverse_length(std::span<const std::int8_t> codes);

// One row as the kernels want it: aligned, and padded with zeros.
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

// Cosines of a quantised query to rows that are fetched from the store. What was fetched last is kept: chunks of an
// exchange are asked for one after the other. One thread.
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

  // NaN: the store has no such chunk any more, or it has no direction.
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

}  // namespace memd::vectors
