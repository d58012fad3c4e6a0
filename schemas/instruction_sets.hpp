#pragma once

// Optional instruction sets of x86-64: the attribute for a function that uses one, and whether this processor has it.
// Other architectures use only the set that the compiler targets. Pure functions, any thread.
#if defined(__x86_64__)

#define MEMD_SSSE3 __attribute__((target("ssse3")))
#define MEMD_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define MEMD_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")))
#define MEMD_AVX512_BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")))

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

// Instructions of AVX-512 that move single bytes.
inline bool has_avx512_bytes() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
}

}  // namespace memd

#endif
