#include "schemas/instruction_sets.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

#if defined(__x86_64__)
TEST(InstructionSets, AreThoseTheCompilerSees) {
  const auto supports = [](auto... each) { return (static_cast<bool>(each) && ...); };
  const bool popcnt = __builtin_cpu_supports("popcnt");
  const bool avx512 = supports(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                               __builtin_cpu_supports("avx512vl"));
  EXPECT_EQ(has_ssse3(), supports(__builtin_cpu_supports("ssse3")));
  EXPECT_EQ(has_avx2(), supports(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("bmi"), popcnt));
  EXPECT_EQ(has_avx512(),
            supports(avx512, __builtin_cpu_supports("avx512vnni"), __builtin_cpu_supports("avx512vpopcntdq")));
  EXPECT_EQ(has_avx512_bytes(),
            supports(avx512, __builtin_cpu_supports("avx512vbmi"), __builtin_cpu_supports("avx512vbmi2"), popcnt));
}
#endif

}  // namespace
}  // namespace memd
