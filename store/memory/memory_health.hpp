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

// A score from 0 to 100 with the reasons for deductions ("no links: -15"). Pure.
struct MemoryQuality {
  int score = 100;
  std::vector<std::string> reasons;
};
MemoryQuality quality_of(const Memory& memory, std::size_t edges, TimeMs now);

// Checks every memory of the places and the files next to them: invalid files, conflict copies, broken links, one-way
// edges, missing or wrong index entries, memories that lack edges for long, empty hubs, secrets, low quality, stale
// memories, vectors without a memory. Changes nothing. Sorted by place, then by path. Thread-safe.
std::vector<MemoryProblem> check_health(const MemoryPlaces& places, const HealthLimits& limits, TimeMs now);

}  // namespace memd::memory
