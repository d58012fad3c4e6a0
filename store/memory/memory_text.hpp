#pragma once

#include "schemas/error.hpp"
#include "schemas/memory.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// The bytes of memory files. Pure.

// The file of a new memory in its dialect. The title becomes the first heading of a plugin's memory, as its format
// shows it; it stands in the front matter if the text begins with a heading of its own.
std::string new_memory_text(const Memory& memory);

// What changes in a memory. Empty: stays.
struct MemoryChange {
  std::optional<std::string> title;
  std::optional<MemoryType> type;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::vector<std::string>> links;         // plugin
  std::optional<std::vector<MemoryRelation>> relations;  // repository
  std::optional<MemoryVerification> verification;
  std::optional<std::string> content;  // all that stands behind the front matter
  TimeMs updated = 0;                  // 0: stays
};

// The file with the change. Every byte that the change does not concern stays. Errc::unsupported: written in a form
// that memd does not change.
Result<std::string> changed_memory_text(std::string_view file, const Memory& before, const MemoryChange& change);

}  // namespace memd::memory
