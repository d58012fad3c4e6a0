#include "store/seal/sealed_box.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#ifdef MEMD_WITH_ENCRYPTION

#include <sodium.h>

#include <array>

namespace memd::seal {
namespace {

using BoxKey = std::array<unsigned char, crypto_box_SECRETKEYBYTES>;

std::optional<BoxKey> box_key(std::string_view digits) {
  BoxKey out{};
  std::size_t got = 0;
  if (sodium_init() < 0 || digits.size() != 2 * out.size() ||
      sodium_hex2bin(out.data(), out.size(), digits.data(), digits.size(), nullptr, &got, nullptr) != 0 ||
      got != out.size())
    return std::nullopt;
  return out;
}

Error no_box_key() { return Error(Errc::bad_config, "that is no key of a member: expected 64 hexadecimal digits"); }

unsigned char* box_bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* box_bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

Result<std::string> public_key_of(std::string_view secret_key) {
  const auto secret = box_key(secret_key);
  if (!secret) return no_box_key();
  std::string out(crypto_box_PUBLICKEYBYTES, '\0');
  crypto_scalarmult_base(box_bytes(out), secret->data());
  return hexadecimal(out);
}

Result<std::string> seal_box(std::string_view public_key, std::string_view text) {
  const auto key = box_key(public_key);
  if (!key) return no_box_key();
  std::string out(text.size() + crypto_box_SEALBYTES, '\0');
  if (crypto_box_seal(box_bytes(out), box_bytes(text), text.size(), key->data()) != 0) return no_box_key();
  return out;
}

std::optional<std::string> open_box(std::string_view secret_key, std::string_view box) {
  const auto secret = box_key(secret_key);
  if (!secret || box.size() < crypto_box_SEALBYTES) return std::nullopt;
  BoxKey own{};
  crypto_scalarmult_base(own.data(), secret->data());
  std::string out(box.size() - crypto_box_SEALBYTES, '\0');
  if (crypto_box_seal_open(box_bytes(out), box_bytes(box), box.size(), own.data(), secret->data()) != 0)
    return std::nullopt;
  return out;
}

}  // namespace memd::seal

#else

namespace memd::seal {

Result<std::string> public_key_of(std::string_view) {
  return Error(Errc::unsupported, "this memd was built without encryption (MEMD_WITH_ENCRYPTION)");
}
Result<std::string> seal_box(std::string_view, std::string_view) { return public_key_of({}); }
std::optional<std::string> open_box(std::string_view, std::string_view) { return std::nullopt; }

}  // namespace memd::seal

#endif
