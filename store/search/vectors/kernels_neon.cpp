#include "store/search/vectors/kernels.hpp"

#include "schemas/instruction_sets.hpp"

#if defined(__aarch64__)

#include <arm_neon.h>

#include <bit>

namespace memd::vectors {
namespace {

inline int32x4_t add_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
  sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
  return vpadalq_s16(sum, vmull_high_s8(a, b));
}

void dots(const std::int8_t* query, const std::int8_t* codes, std::size_t rows, std::size_t stride, std::int32_t* out) {
  for (std::size_t i = 0; i < rows; ++i, codes += stride) {
    int32x4_t sum[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    for (std::size_t d = 0; d < stride; d += 64)
      for (std::size_t k = 0; k < 4; ++k)
        sum[k] = add_products(sum[k], vld1q_s8(query + d + 16 * k), vld1q_s8(codes + d + 16 * k));
    out[i] = vaddvq_s32(vaddq_s32(vaddq_s32(sum[0], sum[1]), vaddq_s32(sum[2], sum[3])));
  }
}

// A function that is compiled for more cannot be inlined into dots().
MEMD_DOT_PRODUCT void dots_at_once(const std::int8_t* query, const std::int8_t* codes, std::size_t rows,
                                   std::size_t stride, std::int32_t* out) {
  for (std::size_t i = 0; i < rows; ++i, codes += stride) {
    int32x4_t sum[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    for (std::size_t d = 0; d < stride; d += 64)
      for (std::size_t k = 0; k < 4; ++k)
        sum[k] = vdotq_s32(sum[k], vld1q_s8(query + d + 16 * k), vld1q_s8(codes + d + 16 * k));
    out[i] = vaddvq_s32(vaddq_s32(vaddq_s32(sum[0], sum[1]), vaddq_s32(sum[2], sum[3])));
  }
}

void differences(const std::uint64_t* signs, const std::uint64_t* low, const std::uint64_t* high,
                 const std::uint64_t* bits, std::size_t rows, std::size_t words, std::uint16_t* out) {
  const auto count = [](uint64x2_t a, const std::uint64_t* plane) {
    return vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(vandq_u64(a, vld1q_u64(plane)))));
  };
  for (std::size_t i = 0; i < rows; ++i, bits += words) {
    uint16x8_t once = vdupq_n_u16(0);
    uint16x8_t twice = vdupq_n_u16(0);
    std::size_t w = 0;
    for (; w + 2 <= words; w += 2) {
      const uint64x2_t differ = veorq_u64(vld1q_u64(signs + w), vld1q_u64(bits + w));
      once = vaddq_u16(once, count(differ, low + w));
      twice = vaddq_u16(twice, count(differ, high + w));
    }
    int sum = vaddvq_u16(once) + 2 * vaddvq_u16(twice);
    if (w < words) {
      const std::uint64_t differ = signs[w] ^ bits[w];
      sum += std::popcount(differ & low[w]) + 2 * std::popcount(differ & high[w]);
    }
    out[i] = static_cast<std::uint16_t>(sum);
  }
}

// 32 dimensions at a time, so that the sums stay in registers. Multiplies and adds separately, as all kernels do.
void weighted_sum(const std::int8_t* table, std::size_t dimension, const float* scale,
                  std::span<const std::uint32_t> ids, float* sum) {
  std::size_t first = 0;
  for (; first + 32 <= dimension; first += 32) {
    float32x4_t s[8];
    for (int k = 0; k < 8; ++k)
      s[k] = vld1q_f32(sum + first + 4 * k);
    for (const std::uint32_t id : ids) {
      const std::int8_t* row = table + id * dimension + first;
      const float32x4_t weight = vdupq_n_f32(scale[id]);
      for (int half = 0; half < 4; ++half) {
        const int16x8_t wide = vmovl_s8(vld1_s8(row + 8 * half));
        const float32x4_t low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide)));
        const float32x4_t high = vcvtq_f32_s32(vmovl_high_s16(wide));
        s[2 * half] = vaddq_f32(s[2 * half], vmulq_f32(weight, low));
        s[2 * half + 1] = vaddq_f32(s[2 * half + 1], vmulq_f32(weight, high));
      }
    }
    for (int k = 0; k < 8; ++k)
      vst1q_f32(sum + first + 4 * k, s[k]);
  }
  weighted_sum_tail(table, dimension, first, scale, ids, sum);
}

}  // namespace

const Kernels kNeonKernels{"NEON", dots_one_by_one<dots>, differences, weighted_sum};
const Kernels kDotProductKernels{"NEON with dot products", dots_one_by_one<dots_at_once>, differences, weighted_sum};

}  // namespace memd::vectors

#endif
