#pragma once

#include "schemas/base/result.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

// Authenticated encryption with the user's key. Only cipher.cpp uses libsodium.
namespace memd::seal {

// Returns whether memd was built with MEMD_WITH_ENCRYPTION. Without it no cipher can be created.
bool is_available();

inline constexpr std::size_t kKeyDigits = 64;  // hexadecimal digits of a written key
inline constexpr std::size_t kOverhead = 40;   // bytes added by sealing: a nonce of 24, a tag of 16
inline constexpr std::size_t kKeyIdBytes = 8;

// XChaCha20-Poly1305 with a random nonce for each sealed text. The encryption key is derived from the user's key, kept
// in locked memory and wiped on destruction. Immutable, thread-safe.
class Cipher {
 public:
  // Creates a cipher from `key`: kKeyDigits digits, surrounding blanks allowed. Errc::bad_config when `key` is invalid;
  // no message contains it.
  static Result<std::shared_ptr<const Cipher>> from_key(std::string_view key);
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  // Returns kKeyIdBytes bytes that identify the key without revealing it.
  const std::string& key_id() const { return key_id_; }

  // Encrypts `text`. `about` is authenticated but neither encrypted nor stored; open() needs the same `about`.
  std::string seal(std::string_view text, std::string_view about) const;
  // Decrypts; nullopt when a byte of either argument or the key differs.
  std::optional<std::string> open(std::string_view sealed, std::string_view about) const;

 private:
  Cipher() = default;
  unsigned char* secret_ = nullptr;
  std::string key_id_;
};
using CipherPtr = std::shared_ptr<const Cipher>;

// Returns random bytes. Errc::unsupported when there is no source of randomness.
Result<std::string> random_bytes(std::size_t count);
// Returns a new random key in written form.
Result<std::string> new_key();

// A cipher whose key is fetched once, on first use, because fetching may prompt the user. A null pointer to a
// LazyCipher means that no key is configured. Thread-safe.
class LazyCipher {
 public:
  using Fetch = std::function<Result<CipherPtr>()>;
  explicit LazyCipher(Fetch fetch) : fetch_(std::move(fetch)) {}

  // Waits for the key. The first result is kept, including a failure.
  const Result<CipherPtr>& get() {
    std::call_once(once_, [this] { cipher_ = fetch_(); });
    return cipher_;
  }

 private:
  const Fetch fetch_;
  std::once_flag once_;
  Result<CipherPtr> cipher_ = CipherPtr();
};

}  // namespace memd::seal
