#pragma once

#include "schemas/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

// Sealing bytes with a key of the user's. Only cipher.cpp knows libsodium.
namespace memd::seal {

// False: memd was built without MEMD_WITH_ENCRYPTION. No cipher can be made then.
bool is_available();

inline constexpr std::size_t kKeyDigits = 64;  // a key is written as so many hexadecimal digits
inline constexpr std::size_t kOverhead = 40;   // bytes that sealing adds: a nonce of 24, a tag of 16
inline constexpr std::size_t kKeyIdBytes = 8;

// XChaCha20-Poly1305 with a random nonce for each sealed text. What is used is derived from the key; it lies in locked
// memory, and is wiped. Immutable, thread-safe.
class Cipher {
 public:
  // `key`: kKeyDigits digits, blanks around them allowed. Errc::bad_config when it is none; no message repeats it.
  static Result<std::shared_ptr<const Cipher>> from_key(std::string_view key);
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  // Tells keys apart without telling them: kKeyIdBytes bytes.
  const std::string& key_id() const { return key_id_; }

  // `about` is not hidden and not kept: the text opens only together with the same `about`.
  std::string seal(std::string_view text, std::string_view about) const;
  // Nullopt when a byte of either differs, or the key does.
  std::optional<std::string> open(std::string_view sealed, std::string_view about) const;

 private:
  Cipher() = default;
  unsigned char* secret_ = nullptr;
  std::string key_id_;
};
using CipherPtr = std::shared_ptr<const Cipher>;

// Errc::unsupported when there is no source of random numbers.
Result<std::string> random_bytes(std::size_t count);
// A new random key, as it is written.
Result<std::string> new_key();

// A cipher whose key is fetched when it is first needed, once: it may cost a question to the user. Where a pointer to
// one is null, no key is configured. Thread-safe.
class LazyCipher {
 public:
  using Fetch = std::function<Result<CipherPtr>()>;
  explicit LazyCipher(Fetch fetch) : fetch_(std::move(fetch)) {}

  // Waits for the key. The first answer stays, a failure too.
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
