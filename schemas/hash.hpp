#pragma once

#include <cstdint>
#include <string_view>

namespace memd {

// XXH3, 64 bits. Stable across machines and versions: it is stored. Not for anything an adversary controls.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

// Order matters: combine(a, b) != combine(b, a).
std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b);

// SQLite integers are signed; the bit pattern is kept.
constexpr std::int64_t as_sql(std::uint64_t h) { return static_cast<std::int64_t>(h); }
constexpr std::uint64_t from_sql(std::int64_t v) { return static_cast<std::uint64_t>(v); }

}  // namespace memd
