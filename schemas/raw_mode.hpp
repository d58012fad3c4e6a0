#pragma once

#include <cstdint>

namespace memd {

// What is kept of the records that sources are made of (docs/store-format.md, "The raw layer").
enum class RawMode : std::uint8_t {
  off = 0,
  as_is = 1,
  masked = 2,  // secrets are masked in the records, before they are decoded
};

}  // namespace memd
