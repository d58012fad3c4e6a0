#pragma once

// Optional instruction sets: the attribute for a function that uses one, and whether this processor has it. Pure
// functions, any thread.
#if defined(__x86_64__)

#define MEMD_SSSE3 __attribute__((target("ssse3")))
#define MEMD_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define MEMD_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")))
#define MEMD_AVX512_BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")))

namespace memd {

bool has_ssse3();
bool has_avx2();          // with BMI and POPCNT
bool has_avx512();        // what MEMD_AVX512 names
bool has_avx512_bytes();  // instructions of AVX-512 that move single bytes

}  // namespace memd

#elif defined(__aarch64__)

#define MEMD_DOT_PRODUCT __attribute__((target("+dotprod")))

namespace memd {

bool has_dot_product();

}  // namespace memd

#endif
