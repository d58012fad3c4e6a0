#pragma once

// Instruction sets beyond the ones that every x86-64 processor has: what a function is marked with, and whether it may
// be called here. Other processors have one set, which the compiler is told. Pure functions; every thread may call
// them.
#if defined(__x86_64__)

#define MEMD_SSSE3 __attribute__((target("ssse3")))
#define MEMD_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define MEMD_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")))

namespace memd {

inline bool has_ssse3() { return __builtin_cpu_supports("ssse3"); }

inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}

}  // namespace memd

#endif
