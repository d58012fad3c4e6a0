#pragma once

#include "schemas/memory.hpp"
#include "store/harvest/recap_sections.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd {

// The gardener's action on two duplicate memories.
enum class DuplicateRule : std::uint8_t {
  propose,  // names them
  link,     // links them: the newer one supersedes the older
  off,
};
std::string_view to_string(DuplicateRule r);

// The gardener's rules for keeping memories (docs/memories.md).
struct GardenRules {
  std::vector<MemoryType> kinds{};  // allowed types of memories; empty: all
  int max_characters = 12'000;      // of a memory; a longer one is to be split
  int max_memories = 2000;          // of a directory
  DuplicateRule duplicates = DuplicateRule::propose;
  int archive_days = 365;    // a poor memory without an edge, unchanged for so long, goes to the trash; 0: never
  bool mark_stale = true;    // where git has changed what a memory names
  bool daily_recap = false;  // of yesterday, in a project that was opted in
  std::vector<harvest::RecapSection> recap{harvest::kAllRecapSections.begin(), harvest::kAllRecapSections.end()};
};

}  // namespace memd
