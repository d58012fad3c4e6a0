#include "schemas/base/hash.hpp"

#include "schemas/base/error.hpp"

#include <openssl/evp.h>

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

Sha256 sha256(std::string_view bytes) {
  Sha256 out{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, EVP_sha256(), nullptr) != 1 || length != out.size())
    throw ErrorException(Error(Errc::io, "SHA-256 is not available"));
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  const Sha256 digest = sha256(bytes);
  return hexadecimal({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    out += kDigits[b >> 4U];
    out += kDigits[b & 15U];
  }
  return out;
}

}  // namespace memd
