#include "store/search/vectors/kernels.hpp"

#include "schemas/instruction_sets.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace memd::vectors {

namespace avx2 {
namespace {

MEMD_AVX2 inline std::int32_t sum_of(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
  return _mm_cvtsi128_si32(s);
}

// |code| · ±query. The unsigned times signed multiplication cannot saturate, because 2 · 128 · 127 < 2^15.
MEMD_AVX2 inline __m256i products(__m256i query, __m256i code) {
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(code), _mm256_sign_epi8(query, code));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

MEMD_AVX2 inline __m256i load(const std::int8_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }

// Four rows at a time share the loads of the query and the sums across lanes.
MEMD_AVX2 void dots(const std::int8_t* query, const std::int8_t* codes, std::size_t rows, std::size_t stride,
                    std::int32_t* out) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4, codes += 4 * stride) {
    __m256i sum[4]{};
    for (std::size_t d = 0; d < stride; d += 32) {
      const __m256i q = load(query + d);
#pragma GCC unroll 4  // so that the sums stay in registers
      for (std::size_t r = 0; r < 4; ++r)
        sum[r] = _mm256_add_epi32(sum[r], products(q, load(codes + r * stride + d)));
    }
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(sum[0], sum[1]), _mm256_hadd_epi32(sum[2], sum[3]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
  }
  for (; i < rows; ++i, codes += stride) {
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t d = 0; d < stride; d += 32)
      sum = _mm256_add_epi32(sum, products(load(query + d), load(codes + d)));
    out[i] = sum_of(sum);
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

// 64 dimensions at a time, so that the sums stay in registers. Each row then takes one or two cache lines.
MEMD_AVX2 void weighted_sum(const std::int8_t* table, std::size_t dimension, const float* scale,
                            std::span<const std::uint32_t> ids, float* sum) {
  std::size_t first = 0;
  for (; first + 64 <= dimension; first += 64) {
    __m256 s[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      s[k] = _mm256_loadu_ps(sum + first + 8 * k);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i + 4 < ids.size()) __builtin_prefetch(table + ids[i + 4] * dimension + first);
      const std::int8_t* row = table + ids[i] * dimension + first;
      const __m256 weight = _mm256_set1_ps(scale[ids[i]]);
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + 8 * k));
        const __m256 numbers = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
        s[k] = _mm256_add_ps(s[k], _mm256_mul_ps(weight, numbers));
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      _mm256_storeu_ps(sum + first + 8 * k, s[k]);
  }
  weighted_sum_tail(table, dimension, first, scale, ids, sum);
}

}  // namespace
}  // namespace avx2

const Kernels kAvx2Kernels{"AVX2", dots_one_by_one<avx2::dots>, avx2::differences, avx2::weighted_sum};

namespace avx512 {
namespace {

MEMD_AVX512 inline __m512i unsigned_codes(const std::int8_t* p) {
  return _mm512_xor_si512(_mm512_load_si512(p), _mm512_set1_epi8(static_cast<char>(0x80)));
}

MEMD_AVX512 inline __m512i pairs_of(__m512i a, __m512i b) {
  return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

// The sums of each of four registers.
MEMD_AVX512 inline __m128i sums_of(const __m512i* four) {
  const __m512i low = pairs_of(four[0], four[1]);
  const __m512i high = pairs_of(four[2], four[3]);
  const __m512i quarters = _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
  const __m256i halves = _mm256_add_epi32(_mm512_castsi512_si256(quarters),
                                          _mm512_castsi512_si256(_mm512_shuffle_i64x2(quarters, quarters, 0x4e)));
  return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

// Adds the products of some queries and rows to sum[query · kRows + row]. The instruction needs one unsigned operand:
// code + 128. Loops are unrolled so that the sums stay in registers.
template <std::size_t kQueries, std::size_t kRows>
MEMD_AVX512 inline void add_products(const std::int8_t* queries, const std::int8_t* codes, std::size_t stride,
                                     __m512i* sum) {
  for (std::size_t d = 0; d < stride; d += 64) {
    __m512i code[kRows];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
      code[r] = unsigned_codes(codes + r * stride + d);
#pragma GCC unroll 4
    for (std::size_t q = 0; q < kQueries; ++q) {
      const __m512i query = _mm512_load_si512(queries + q * stride + d);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kRows; ++r)
        sum[q * kRows + r] = _mm512_dpbusd_epi32(sum[q * kRows + r], code[r], query);
    }
  }
}

// Each code is loaded once for all queries, and four rows at a time share the sums across lanes.
template <std::size_t kQueries>
MEMD_AVX512 inline void dots_of(const std::int8_t* queries, const std::int8_t* codes, std::size_t rows,
                                std::size_t stride, std::int32_t* out) {
  std::int32_t offset[kQueries];  // 128 · Σ query
  for (std::size_t q = 0; q < kQueries; ++q) {
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t d = 0; d < stride; d += 64)
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(static_cast<char>(0x80)),
                                _mm512_load_si512(queries + q * stride + d));
    offset[q] = _mm512_reduce_add_epi32(sum);
  }
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4, codes += 4 * stride) {
    __m512i sum[kQueries * 4]{};
    add_products<kQueries, 4>(queries, codes, stride, sum);
#pragma GCC unroll 4
    for (std::size_t q = 0; q < kQueries; ++q)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + q * rows + i),
                       _mm_sub_epi32(sums_of(sum + q * 4), _mm_set1_epi32(offset[q])));
  }
  for (; i < rows; ++i, codes += stride) {
    __m512i sum[kQueries]{};
    add_products<kQueries, 1>(queries, codes, stride, sum);
#pragma GCC unroll 4
    for (std::size_t q = 0; q < kQueries; ++q)
      out[q * rows + i] = _mm512_reduce_add_epi32(sum[q]) - offset[q];
  }
}

MEMD_AVX512 void dots(const std::int8_t* queries, std::size_t count, const std::int8_t* codes, std::size_t rows,
                      std::size_t stride, std::int32_t* out) {
  for (; count >= 4; count -= 4, queries += 4 * stride, out += 4 * rows)
    dots_of<4>(queries, codes, rows, stride, out);
  switch (count) {
    case 3: return dots_of<3>(queries, codes, rows, stride, out);
    case 2: return dots_of<2>(queries, codes, rows, stride, out);
    case 1: return dots_of<1>(queries, codes, rows, stride, out);
    default: break;
  }
}

MEMD_AVX512 inline __m256i load(const std::uint64_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// The differences of two rows of 256 dimensions, each spread over four of the eight numbers.
MEMD_AVX512 inline __m512i differences_of_two(__m512i signs, __m512i low, __m512i high, const std::uint64_t* bits) {
  const __m512i differ = _mm512_xor_si512(signs, _mm512_loadu_si512(bits));
  const __m512i once = _mm512_popcnt_epi64(_mm512_and_si512(differ, low));
  const __m512i twice = _mm512_popcnt_epi64(_mm512_and_si512(differ, high));
  return _mm512_add_epi64(once, _mm512_add_epi64(twice, twice));
}

// Eight rows of 256 dimensions. The processor's own prefetching stops at the end of each page, so the rows 2 KiB ahead
// are prefetched.
MEMD_AVX512 inline __m128i differences_of_eight(__m512i signs, __m512i low, __m512i high, const std::uint64_t* bits) {
  constexpr std::size_t kAhead = 2048 / sizeof *bits;
  for (std::size_t at = 0; at < 32; at += 8)
    _mm_prefetch(reinterpret_cast<const char*>(bits + kAhead + at), _MM_HINT_T0);
  // Each number is at most 192, so four fit side by side, and their sums too.
  __m512i sum = differences_of_two(signs, low, high, bits);
  sum = _mm512_or_si512(sum, _mm512_slli_epi64(differences_of_two(signs, low, high, bits + 8), 16));
  sum = _mm512_or_si512(sum, _mm512_slli_epi64(differences_of_two(signs, low, high, bits + 16), 32));
  sum = _mm512_or_si512(sum, _mm512_slli_epi64(differences_of_two(signs, low, high, bits + 24), 48));
  sum = _mm512_add_epi64(sum, _mm512_permutex_epi64(sum, 0x4e));
  sum = _mm512_add_epi64(sum, _mm512_permutex_epi64(sum, 0xb1));
  return _mm_unpacklo_epi16(_mm512_castsi512_si128(sum), _mm512_extracti32x4_epi32(sum, 2));
}

MEMD_AVX512 void differences(const std::uint64_t* signs, const std::uint64_t* low, const std::uint64_t* high,
                             const std::uint64_t* bits, std::size_t rows, std::size_t words, std::uint16_t* out) {
  std::size_t done = 0;
  if (words == 4) {  // 256 dimensions
    const __m512i s = _mm512_broadcast_i64x4(load(signs));
    const __m512i l = _mm512_broadcast_i64x4(load(low));
    const __m512i h = _mm512_broadcast_i64x4(load(high));
    for (; done + 8 <= rows; done += 8, bits += 32)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + done), differences_of_eight(s, l, h, bits));
  }
  for (std::size_t i = done; i < rows; ++i, bits += words) {
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
      const auto mask = static_cast<__mmask8>(words - w >= 8 ? 0xff : (1U << (words - w)) - 1);
      const __m512i differ =
          _mm512_xor_si512(_mm512_maskz_loadu_epi64(mask, signs + w), _mm512_maskz_loadu_epi64(mask, bits + w));
      const __m512i once = _mm512_popcnt_epi64(_mm512_and_si512(differ, _mm512_maskz_loadu_epi64(mask, low + w)));
      const __m512i twice = _mm512_popcnt_epi64(_mm512_and_si512(differ, _mm512_maskz_loadu_epi64(mask, high + w)));
      sum = _mm512_add_epi64(sum, _mm512_add_epi64(once, _mm512_add_epi64(twice, twice)));
    }
    out[i] = static_cast<std::uint16_t>(_mm512_reduce_add_epi64(sum));
  }
}

// 128 dimensions at a time, so that the sums stay in registers.
MEMD_AVX512 void weighted_sum(const std::int8_t* table, std::size_t dimension, const float* scale,
                              std::span<const std::uint32_t> ids, float* sum) {
  std::size_t first = 0;
  for (; first + 128 <= dimension; first += 128) {
    __m512 s[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      s[k] = _mm512_loadu_ps(sum + first + 16 * k);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i + 4 < ids.size()) {
        __builtin_prefetch(table + ids[i + 4] * dimension + first);
        __builtin_prefetch(table + ids[i + 4] * dimension + first + 64);
      }
      const std::int8_t* row = table + ids[i] * dimension + first;
      const __m512 weight = _mm512_set1_ps(scale[ids[i]]);
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16 * k));
        const __m512 numbers = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
        s[k] = _mm512_add_ps(s[k], _mm512_mul_ps(weight, numbers));
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      _mm512_storeu_ps(sum + first + 16 * k, s[k]);
  }
  weighted_sum_tail(table, dimension, first, scale, ids, sum);
}

}  // namespace
}  // namespace avx512

const Kernels kAvx512Kernels{"AVX-512", avx512::dots, avx512::differences, avx512::weighted_sum};

}  // namespace memd::vectors

#endif
