#include "store/seal/cipher.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#ifdef MEMD_WITH_ENCRYPTION

#include <sodium.h>

#include <algorithm>
#include <array>
#include <new>

namespace memd::seal {
namespace {

constexpr std::size_t kKeyBytes = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
static_assert(kOverhead == kNonceBytes + crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(kKeyDigits == 2 * crypto_kdf_KEYBYTES);

constexpr char kContext[] = "memdseal";
static_assert(sizeof kContext == crypto_kdf_CONTEXTBYTES + 1);
enum Subkey : std::uint64_t { kForSealing = 1, kForId = 2 };

// Bytes on the stack that hold a key.
template <std::size_t n>
struct Wiped : std::array<unsigned char, n> {
  ~Wiped() { sodium_memzero(this->data(), n); }
};

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

bool is_ready() { return sodium_init() >= 0; }

Error not_ready() { return Error(Errc::unsupported, "libsodium found no source of random numbers"); }

}  // namespace

bool is_available() { return true; }

Result<CipherPtr> Cipher::from_key(std::string_view key) {
  if (!is_ready()) return not_ready();
  key = ascii::trimmed(key);
  Wiped<crypto_kdf_KEYBYTES> master{};
  std::size_t got = 0;
  if (key.size() != kKeyDigits ||
      sodium_hex2bin(master.data(), master.size(), key.data(), key.size(), nullptr, &got, nullptr) != 0 ||
      got != master.size())
    return Error(Errc::bad_config,
                 "that is no key: expected 64 hexadecimal digits, as `memd key new FILE` writes them");
  std::shared_ptr<Cipher> cipher(new Cipher());
  cipher->secret_ = static_cast<unsigned char*>(sodium_malloc(kKeyBytes));
  if (cipher->secret_ == nullptr) throw std::bad_alloc();
  crypto_kdf_derive_from_key(cipher->secret_, kKeyBytes, kForSealing, kContext, master.data());
  std::string id(crypto_kdf_BYTES_MIN, '\0');
  crypto_kdf_derive_from_key(bytes(id), id.size(), kForId, kContext, master.data());
  cipher->key_id_ = id.substr(0, kKeyIdBytes);
  sodium_mprotect_readonly(cipher->secret_);
  return CipherPtr(std::move(cipher));
}

Cipher::~Cipher() { sodium_free(secret_); }

std::string Cipher::seal(std::string_view text, std::string_view about) const {
  std::string out(text.size() + kOverhead, '\0');
  randombytes_buf(out.data(), kNonceBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes(out) + kNonceBytes, nullptr, bytes(text), text.size(), bytes(about),
                                             about.size(), nullptr, bytes(out), secret_);
  return out;
}

std::optional<std::string> Cipher::open(std::string_view sealed, std::string_view about) const {
  if (sealed.size() < kOverhead) return std::nullopt;
  std::string out(sealed.size() - kOverhead, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(out), nullptr, nullptr, bytes(sealed) + kNonceBytes,
                                                 sealed.size() - kNonceBytes, bytes(about), about.size(), bytes(sealed),
                                                 secret_) != 0)
    return std::nullopt;
  return out;
}

Result<std::string> random_bytes(std::size_t count) {
  if (!is_ready()) return not_ready();
  std::string out(count, '\0');
  randombytes_buf(out.data(), out.size());
  return out;
}

}  // namespace memd::seal

#else

namespace memd::seal {
namespace {

Error built_without() {
  return Error(Errc::unsupported, "this memd was built without encryption (MEMD_WITH_ENCRYPTION)");
}

}  // namespace

bool is_available() { return false; }

Result<CipherPtr> Cipher::from_key(std::string_view) { return built_without(); }
Cipher::~Cipher() = default;
std::string Cipher::seal(std::string_view, std::string_view) const { throw ErrorException(built_without()); }
std::optional<std::string> Cipher::open(std::string_view, std::string_view) const { return std::nullopt; }
Result<std::string> random_bytes(std::size_t) { return built_without(); }

}  // namespace memd::seal

#endif

namespace memd::seal {

Result<std::string> new_key() {
  MEMD_TRY_ASSIGN(const std::string bytes, random_bytes(kKeyDigits / 2));
  return hexadecimal(bytes);
}

}  // namespace memd::seal
