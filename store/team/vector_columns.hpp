#pragma once

#include "schemas/base/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// How vectors are written in a team's database (schemas/sql/team/0005_vectors.sql). Private to this folder.
namespace memd::team {

inline std::int64_t number_of_model(std::string_view name) { return as_sql(hash64(name)); }

// The signs of the components in hexadecimal digits, the first one in the highest bit; 1 is negative. Their number is a
// multiple of eight.
inline std::string signs_of(std::span<const std::int8_t> vector) {
  std::string bytes(vector.size() / 8, '\0');
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i)
    if (vector[i] < 0) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 0x80 >> i % 8);
  return hexadecimal(bytes);
}

}  // namespace memd::team
