#pragma once

#if defined(__aarch64__)

#include "store/search/vectors/kernels.hpp"

namespace memd::vectors {

extern const Kernels kNeonKernels;

}  // namespace memd::vectors

#endif
