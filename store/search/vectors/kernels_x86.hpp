#pragma once

#if defined(__x86_64__)

#include "store/search/vectors/kernels.hpp"

namespace memd::vectors {

extern const Kernels kAvx2Kernels;    // AVX2, POPCNT
extern const Kernels kAvx512Kernels;  // AVX-512 F, BW, VNNI, VPOPCNTDQ

}  // namespace memd::vectors

#endif
