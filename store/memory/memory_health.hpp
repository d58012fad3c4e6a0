#pragma once

#include "schemas/memory.hpp"
#include "store/memory/memory_places.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memd::memory {

struct HealthLimits {
  int orphan_days = 30;
  int min_quality = 50;
};

// 0 to 100, and what was taken off for what ("no links: -15"). Pure.
struct MemoryQuality {
  int score = 100;
  std::vector<std::string> reasons;
};
MemoryQuality quality_of(const Memory& memory, std::size_t edges, TimeMs now);

// Looks at every memory of the places and at what lies beside them: files that are not valid, copies that lost a
// conflict, links that lead nowhere, edges in one direction, index entries that lack or lie, memories without an edge
// for long, hubs that hold nothing, secrets, low quality, memories that are stale, vectors of no memory. Changes
// nothing. By place, then by path. Thread-safe.
std::vector<MemoryProblem> check_health(const MemoryPlaces& places, const HealthLimits& limits, TimeMs now);

}  // namespace memd::memory
