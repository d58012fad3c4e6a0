#pragma once

#include <array>
#include <string>
#include <string_view>

namespace memd {

using Sha256 = std::array<unsigned char, 32>;

// For names and signs that others compute too (hash64 is the one for our own tables). Any thread. Throws ErrorException
// where the crypto library has no SHA-256.
Sha256 sha256(std::string_view bytes);
// In 64 lower case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Two lower case hexadecimal digits a byte.
std::string hexadecimal(std::string_view bytes);

}  // namespace memd
