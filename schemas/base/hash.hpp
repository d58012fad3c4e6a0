#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd {

// Returns the 64-bit XXH3 hash. It is stored, so it is stable across machines and versions. Not for input that an
// adversary controls.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

// Order matters: combine(a, b) != combine(b, a).
std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b);

// SQLite integers are signed; the bit pattern is kept.
constexpr std::int64_t as_sql(std::uint64_t h) { return static_cast<std::int64_t>(h); }
constexpr std::uint64_t from_sql(std::int64_t v) { return static_cast<std::uint64_t>(v); }

// Hash for tables with string keys. Together with std::equal_to<> it allows lookup by string_view without a temporary
// key.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using Sha256 = std::array<unsigned char, 32>;

// Returns the SHA-256 hash, for names and signatures that other programs compute too. memd's own tables use hash64.
// Thread-safe. Throws ErrorException if the crypto library has no SHA-256.
Sha256 sha256(std::string_view bytes);
// Returns it as 64 lower case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Returns two lower case hexadecimal digits per byte.
std::string hexadecimal(std::string_view bytes);

}  // namespace memd
