#pragma once

#include "store/seal/cipher.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memd::test {

// Returns a key that repeats one digit.
inline std::string key_text(char digit) { return std::string(seal::kKeyDigits, digit); }

inline std::shared_ptr<seal::LazyCipher> cipher_of_key(char digit) {
  return std::make_shared<seal::LazyCipher>([digit] { return seal::Cipher::from_key(key_text(digit)); });
}

// Returns the values to run a test with: plain frames, and sealed ones if encryption is available.
inline std::vector<bool> plain_and_sealed() {
  return seal::is_available() ? std::vector{false, true} : std::vector{false};
}

}  // namespace memd::test
