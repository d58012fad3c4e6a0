#include "store/search/vectors/kernels.hpp"

#include "schemas/instruction_sets.hpp"

#include <bit>
#include <vector>

namespace memd::vectors {
namespace {

void dots(const std::int8_t* query, const std::int8_t* codes, std::size_t rows, std::size_t stride, std::int32_t* out) {
  for (std::size_t i = 0; i < rows; ++i, codes += stride) {
    std::int32_t sum = 0;
    for (std::size_t d = 0; d < stride; ++d)
      sum += query[d] * codes[d];
    out[i] = sum;
  }
}

void differences(const std::uint64_t* signs, const std::uint64_t* low, const std::uint64_t* high,
                 const std::uint64_t* bits, std::size_t rows, std::size_t words, std::uint16_t* out) {
  for (std::size_t i = 0; i < rows; ++i, bits += words) {
    int sum = 0;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t differ = signs[w] ^ bits[w];
      sum += std::popcount(differ & low[w]) + 2 * std::popcount(differ & high[w]);
    }
    out[i] = static_cast<std::uint16_t>(sum);
  }
}

void weighted_sum(const std::int8_t* table, std::size_t dimension, const float* scale,
                  std::span<const std::uint32_t> ids, float* sum) {
  weighted_sum_tail(table, dimension, 0, scale, ids, sum);
}

constexpr Kernels kScalarKernels{"scalar", dots_one_by_one<dots>, differences, weighted_sum};

std::vector<const Kernels*> find_kernels() {
  std::vector<const Kernels*> out{&kScalarKernels};
#if defined(__x86_64__)
  if (has_avx2()) out.push_back(&kAvx2Kernels);
  if (has_avx512()) out.push_back(&kAvx512Kernels);
#elif defined(__aarch64__)
  out.push_back(&kNeonKernels);
  if (has_dot_product()) out.push_back(&kDotProductKernels);
#endif
  return out;
}

}  // namespace

void weighted_sum_tail(const std::int8_t* table, std::size_t dimension, std::size_t first, const float* scale,
                       std::span<const std::uint32_t> ids, float* sum) {
  for (const std::uint32_t id : ids) {
    const std::int8_t* row = table + id * dimension;
    for (std::size_t d = first; d < dimension; ++d)
      sum[d] += scale[id] * static_cast<float>(row[d]);
  }
}

std::span<const Kernels* const> all_kernels() {
  static const std::vector<const Kernels*> found = find_kernels();
  return found;
}

const Kernels& kernels() { return *all_kernels().back(); }

}  // namespace memd::vectors
