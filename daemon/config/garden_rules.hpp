#pragma once

#include "schemas/memory.hpp"
#include "store/harvest/recap_sections.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd {

// The gardener's action on two duplicate memories.
enum class DuplicateRule : std::uint8_t {
  propose,  // proposes merging or linking them
  link,     // links them: the newer one supersedes the older
  off,
};
std::string_view to_string(DuplicateRule r);

// The gardener's rules for keeping memories (docs/memories.md).
struct GardenRules {
  std::vector<MemoryType> kinds{};  // allowed types of memories; empty: all
  int max_characters = 12'000;      // limit for a memory; a longer one should be split
  int max_memories = 2000;          // limit for a directory
  DuplicateRule duplicates = DuplicateRule::propose;
  int archive_days = 365;    // a memory of low quality, without edges and unchanged for this long, is moved to the
                             // trash; 0: never
  bool mark_stale = true;    // mark a memory stale when git has changed something it names
  bool daily_recap = false;  // write one for yesterday, in a project with opt-in
  std::vector<harvest::RecapSection> recap{harvest::kAllRecapSections.begin(), harvest::kAllRecapSections.end()};
};

}  // namespace memd
