#include "protocol/mcp/random_id.hpp"

#include "schemas/error.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <span>

namespace memd::mcp {
namespace {

constexpr std::size_t kBytes = 16;

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char b : bytes) {
    out += kDigits[b >> 4U];
    out += kDigits[b & 15U];
  }
  return out;
}

}  // namespace

std::string random_id() {
  std::array<unsigned char, kBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw ErrorException(Error(Errc::io, "no random numbers can be had"));
  return hexadecimal(bytes);
}

std::string digest(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr) != 1 || length < kBytes)
    throw ErrorException(Error(Errc::io, "SHA-256 is not to be had"));
  return hexadecimal(std::span(bytes).first(kBytes));
}

}  // namespace memd::mcp
