#include "store/search/vectors/instruction_sets.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#define MEMD_AVX2 __attribute__((target("avx2,popcnt")))

namespace memd::vectors {
namespace {

MEMD_AVX2 inline std::int32_t sum_of(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
  return _mm_cvtsi128_si32(s);
}

// |code| · ±query: the unsigned times signed multiplication cannot saturate, for 2 · 128 · 127 < 2^15.
MEMD_AVX2 inline __m256i products(__m256i query, __m256i code) {
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(code), _mm256_sign_epi8(query, code));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

MEMD_AVX2 void dots(const std::int8_t* query, const std::int8_t* codes, std::size_t rows, std::size_t stride,
                    std::int32_t* out) {
  for (std::size_t i = 0; i < rows; ++i, codes += stride) {
    __m256i a = _mm256_setzero_si256();
    __m256i b = _mm256_setzero_si256();
    for (std::size_t d = 0; d < stride; d += 64) {
      const auto* q = reinterpret_cast<const __m256i*>(query + d);
      const auto* c = reinterpret_cast<const __m256i*>(codes + d);
      a = _mm256_add_epi32(a, products(_mm256_load_si256(q), _mm256_load_si256(c)));
      b = _mm256_add_epi32(b, products(_mm256_load_si256(q + 1), _mm256_load_si256(c + 1)));
    }
    out[i] = sum_of(_mm256_add_epi32(a, b));
  }
}

template <std::size_t kWords>
MEMD_AVX2 inline std::uint16_t difference(const std::uint64_t* signs, const std::uint64_t* low,
                                          const std::uint64_t* high, const std::uint64_t* bits,
                                          std::size_t words = kWords) {
  long long once = 0;
  long long twice = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const std::uint64_t differ = signs[w] ^ bits[w];
    once += _mm_popcnt_u64(differ & low[w]);
    twice += _mm_popcnt_u64(differ & high[w]);
  }
  return static_cast<std::uint16_t>(once + 2 * twice);
}

MEMD_AVX2 void differences(const std::uint64_t* signs, const std::uint64_t* low, const std::uint64_t* high,
                           const std::uint64_t* bits, std::size_t rows, std::size_t words, std::uint16_t* out) {
  if (words == 4) {  // 256 dimensions
    for (std::size_t i = 0; i < rows; ++i, bits += 4)
      out[i] = difference<4>(signs, low, high, bits);
    return;
  }
  for (std::size_t i = 0; i < rows; ++i, bits += words)
    out[i] = difference<0>(signs, low, high, bits, words);
}

// 64 dimensions at a time: their sums stay in registers, and each row gives one cache line.
MEMD_AVX2 void weighted_sum(const std::int8_t* table, std::size_t dimension, const float* scale,
                            std::span<const std::uint32_t> ids, float* sum) {
  std::size_t first = 0;
  for (; first + 64 <= dimension; first += 64) {
    __m256 s[8];
    for (int k = 0; k < 8; ++k)
      s[k] = _mm256_loadu_ps(sum + first + 8 * k);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i + 4 < ids.size()) __builtin_prefetch(table + ids[i + 4] * dimension + first);
      const std::int8_t* row = table + ids[i] * dimension + first;
      const __m256 weight = _mm256_set1_ps(scale[ids[i]]);
      for (int k = 0; k < 8; ++k) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + 8 * k));
        const __m256 numbers = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
        s[k] = _mm256_add_ps(s[k], _mm256_mul_ps(weight, numbers));
      }
    }
    for (int k = 0; k < 8; ++k)
      _mm256_storeu_ps(sum + first + 8 * k, s[k]);
  }
  weighted_sum_tail(table, dimension, first, scale, ids, sum);
}

}  // namespace

const Kernels kAvx2Kernels{"AVX2", dots, differences, weighted_sum};

}  // namespace memd::vectors

#endif
