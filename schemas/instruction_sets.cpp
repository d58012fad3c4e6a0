#include "schemas/instruction_sets.hpp"

#if defined(__x86_64__)

#include <cpuid.h>

#include <cstdint>

namespace memd {
namespace {

// What cpuid tells, without what the system does not save. Not __builtin_cpu_supports(): some runtime libraries of
// clang answer it with 0 for everything.
struct Processor {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t leaf7_ecx = 0;
  std::uint32_t saved = 0;  // XCR0: the registers that the system saves

  Processor() {
    std::uint32_t eax = 0;
    std::uint32_t ebx = 0;
    std::uint32_t edx = 0;
    if (__get_cpuid(1, &eax, &ebx, &leaf1_ecx, &edx) == 0) return;
    if (__get_cpuid_count(7, 0, &eax, &leaf7_ebx, &leaf7_ecx, &edx) == 0) leaf7_ebx = leaf7_ecx = 0;
    if ((leaf1_ecx & bit_OSXSAVE) != 0) asm("xgetbv" : "=a"(saved), "=d"(edx) : "c"(0));
  }

  bool has_leaf7(std::uint32_t ebx, std::uint32_t ecx, std::uint32_t registers) const {
    return (leaf7_ebx & ebx) == ebx && (leaf7_ecx & ecx) == ecx && (saved & registers) == registers;
  }
};

constexpr std::uint32_t kYmm = 0x6;   // with XMM
constexpr std::uint32_t kZmm = 0xe6;  // with masks

const Processor& processor() {
  static const Processor one;
  return one;
}

bool has_popcnt() { return (processor().leaf1_ecx & bit_POPCNT) != 0; }

}  // namespace

bool has_ssse3() { return (processor().leaf1_ecx & bit_SSSE3) != 0; }

bool has_avx2() { return processor().has_leaf7(bit_AVX2 | bit_BMI, 0, kYmm) && has_popcnt(); }

bool has_avx512() {
  return processor().has_leaf7(bit_AVX512F | bit_AVX512BW | bit_AVX512VL, bit_AVX512VNNI | bit_AVX512VPOPCNTDQ, kZmm);
}

bool has_avx512_bytes() {
  return processor().has_leaf7(bit_AVX512F | bit_AVX512BW | bit_AVX512VL, bit_AVX512VBMI | bit_AVX512VBMI2, kZmm) &&
         has_popcnt();
}

}  // namespace memd

#elif defined(__aarch64__)

#if defined(__APPLE__)
namespace memd {

bool has_dot_product() { return true; }  // every Apple processor that runs macOS

}  // namespace memd
#else
#include <asm/hwcap.h>
#include <sys/auxv.h>

namespace memd {

bool has_dot_product() { return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }

}  // namespace memd
#endif

#endif
