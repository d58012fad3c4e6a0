#pragma once

#include "schemas/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

// Boxes that anyone seals with a public key and only the holder of the secret key opens (libsodium's sealed boxes).
// Keys are written as 64 hexadecimal digits. Thread-safe.
namespace memd::seal {

// Returns the public key of a secret one (new_key()). Errc::bad_config: it is no key.
Result<std::string> public_key_of(std::string_view secret_key);
// Errc::bad_config: it is no key.
Result<std::string> seal_box(std::string_view public_key, std::string_view text);
// nullopt: another key, or a byte differs.
std::optional<std::string> open_box(std::string_view secret_key, std::string_view box);

}  // namespace memd::seal
