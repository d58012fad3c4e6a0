#pragma once

#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// Builds the bytes of memory files. Pure.

// Returns the file of a new memory in its dialect. The title becomes the first heading of a plugin memory, as its
// format requires; it goes into the front matter if the text starts with its own heading.
std::string new_memory_text(const Memory& memory);

// A change to a memory. Empty fields stay unchanged.
struct MemoryChange {
  std::optional<std::string> title;
  std::optional<MemoryType> type;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::vector<std::string>> links;         // plugin
  std::optional<std::vector<MemoryRelation>> relations;  // repository
  std::optional<MemoryVerification> verification;
  std::optional<std::string> content;  // everything after the front matter
  TimeMs updated = 0;                  // 0: unchanged
  bool is_empty() const { return !title && !type && !tags && !links && !relations && !verification && !content; }
};

// Returns the changed file. Keeps every byte that the change does not affect. Returns Errc::unsupported for a form that
// memd does not edit.
Result<std::string> changed_memory_text(std::string_view file, const Memory& before, const MemoryChange& change);

}  // namespace memd::memory
