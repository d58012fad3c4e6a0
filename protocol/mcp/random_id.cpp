#include "protocol/mcp/random_id.hpp"

#include "schemas/error.hpp"
#include "schemas/hash.hpp"

#include <openssl/rand.h>

namespace memd::mcp {
namespace {

constexpr std::size_t kBytes = 16;

}  // namespace

std::string random_id() {
  std::string bytes(kBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1)
    throw ErrorException(Error(Errc::io, "no random numbers can be had"));
  return hexadecimal(bytes);
}

std::string digest(std::string_view text) { return sha256_hex(text).substr(0, 2 * kBytes); }

}  // namespace memd::mcp
