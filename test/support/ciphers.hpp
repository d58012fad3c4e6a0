#pragma once

#include "store/seal/cipher.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memd::test {

// A key of one digit, repeated.
inline std::string key_text(char digit) { return std::string(seal::kKeyDigits, digit); }

inline std::shared_ptr<seal::LazyCipher> cipher_of_key(char digit) {
  return std::make_shared<seal::LazyCipher>([digit] { return seal::Cipher::from_key(key_text(digit)); });
}

// For tests of both kinds of frames.
inline std::vector<bool> plain_and_sealed() {
  return seal::is_available() ? std::vector{false, true} : std::vector{false};
}

}  // namespace memd::test
