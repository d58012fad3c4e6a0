#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace memd::vectors {

// Appends `vector` as signed bytes: its largest component becomes ±127. The direction is kept to about half a step; a
// zero vector, or one with a component that is not a number, becomes zeros.
void append_quantised(std::span<const float> vector, std::vector<std::int8_t>& out);

}  // namespace memd::vectors
