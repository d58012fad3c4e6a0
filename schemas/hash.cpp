#include "schemas/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace memd {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t pair[2] = {a, b};
  return XXH3_64bits(pair, sizeof pair);
}

}  // namespace memd
