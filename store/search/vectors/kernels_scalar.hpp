#pragma once

#include "store/search/vectors/kernels.hpp"

namespace memd::vectors {

extern const Kernels kScalarKernels;

// One row, from dimension `first` on: the tails of the others.
void weighted_sum_tail(const std::int8_t* table, std::size_t dimension, std::size_t first, const float* scale,
                       std::span<const std::uint32_t> ids, float* sum);

}  // namespace memd::vectors
