#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

// MEMD_FUZZ_TARGET(NAME) { … } defines a fuzz target: a function of `const std::uint8_t* data` and `std::size_t size`
// that aborts on a violation and returns 0. With MEMD_LIBFUZZER it is the function that libFuzzer calls, one per
// program. Otherwise it is an entry of fuzz_targets(), and one program contains all targets, because each further
// program costs seconds to link and, with sanitizers, to compile.
namespace memd::fuzz {

using FuzzTarget = std::function<int(const std::uint8_t* data, std::size_t size)>;

// Returns all targets of this program by name. Filled before main().
inline std::map<std::string, FuzzTarget>& fuzz_targets() {
  static std::map<std::string, FuzzTarget> targets;
  return targets;
}

}  // namespace memd::fuzz

#ifdef MEMD_LIBFUZZER
#define MEMD_FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define MEMD_FUZZ_TARGET(name)                                                                     \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);                              \
  static const bool kHas_##name = ::memd::fuzz::fuzz_targets().emplace(#name, fuzz_##name).second; \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)
#endif
