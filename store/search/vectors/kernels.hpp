#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The inner loops over vectors of signed bytes, one set of functions per instruction set. All give bit-identical
// results: integer sums are exact, and floating-point numbers are added in the same order without fused operations.
namespace memd::vectors {

// Rows of codes are padded with zeros to a multiple of this, and aligned to it.
inline constexpr std::size_t kRowAlignment = 64;
constexpr std::size_t row_stride(std::size_t dimension) {
  return (dimension + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

struct Kernels {
  std::string_view name;

  // out[q · rows + i] = Σ queries[q · stride + d] · codes[i · stride + d], for `count` queries. They are aligned like
  // the rows, and none of their bytes is -128.
  void (*dots)(const std::int8_t* queries, std::size_t count, const std::int8_t* codes, std::size_t rows,
               std::size_t stride, std::int32_t* out);
  // Row i starts at bits + i · words. out[i] = Σ over the bits that differ between the row and `signs`: 1 if set in
  // `low`, plus 2 if set in `high`. words ≤ 341, so that the sum fits.
  void (*differences)(const std::uint64_t* signs, const std::uint64_t* low, const std::uint64_t* high,
                      const std::uint64_t* bits, std::size_t rows, std::size_t words, std::uint16_t* out);
  // sum[d] += Σ over ids, in order, of scale[id] · table[id · dimension + d]. Any dimension and alignment.
  void (*weighted_sum)(const std::int8_t* table, std::size_t dimension, const float* scale,
                       std::span<const std::uint32_t> ids, float* sum);
};

// Returns the fastest kernels this processor supports.
const Kernels& kernels();
// Returns all kernels this processor supports, the portable ones first.
std::span<const Kernels* const> all_kernels();

// Kernels for one instruction set each; the portable ones are in kernels.cpp.
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;    // requires has_avx2()
extern const Kernels kAvx512Kernels;  // requires has_avx512()
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
extern const Kernels kDotProductKernels;  // requires has_dot_product()
#endif

// Kernels::dots() by a function for one query.
template <void (*kDots)(const std::int8_t* query, const std::int8_t* codes, std::size_t rows, std::size_t stride,
                        std::int32_t* out)>
void dots_one_by_one(const std::int8_t* queries, std::size_t count, const std::int8_t* codes, std::size_t rows,
                     std::size_t stride, std::int32_t* out) {
  for (std::size_t q = 0; q < count; ++q)
    kDots(queries + q * stride, codes, rows, stride, out + q * rows);
}

// Kernels::weighted_sum() from dimension `first` on. The vectorised kernels use it for the remaining dimensions.
void weighted_sum_tail(const std::int8_t* table, std::size_t dimension, std::size_t first, const float* scale,
                       std::span<const std::uint32_t> ids, float* sum);

}  // namespace memd::vectors
