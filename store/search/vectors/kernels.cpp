#include "store/search/vectors/kernels.hpp"

#include "store/search/vectors/instruction_sets.hpp"

#include <vector>

namespace memd::vectors {
namespace {

std::vector<const Kernels*> find_kernels() {
  std::vector<const Kernels*> out{&kScalarKernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) out.push_back(&kAvx2Kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq"))
    out.push_back(&kAvx512Kernels);
#elif defined(__aarch64__)
  out.push_back(&kNeonKernels);
#endif
  return out;
}

}  // namespace

std::span<const Kernels* const> all_kernels() {
  static const std::vector<const Kernels*> found = find_kernels();
  return found;
}

const Kernels& kernels() { return *all_kernels().back(); }

}  // namespace memd::vectors
