#pragma once

#include "store/search/vectors/kernels.hpp"

// Kernels by instruction set. Each set is a source of its own, compiled for it.
namespace memd::vectors {

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;    // AVX2, POPCNT
extern const Kernels kAvx512Kernels;  // AVX-512 F, BW, VNNI, VPOPCNTDQ
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
#endif

// One row, from dimension `first` on: the tails of the others.
void weighted_sum_tail(const std::int8_t* table, std::size_t dimension, std::size_t first, const float* scale,
                       std::span<const std::uint32_t> ids, float* sum);

}  // namespace memd::vectors
