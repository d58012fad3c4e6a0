#pragma once

#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace memd {

// The directory of a project that receives new memories. Memories are read from both.
enum class MemoryPathMode : std::uint8_t { legacy_first, platform_opt_in };
std::string_view to_string(MemoryPathMode m);
std::optional<MemoryPathMode> parse_memory_path_mode(std::string_view text);

// The policy for all sessions of a project. Paths are relative to the project's directory.
struct MemoryPathPolicy {
  MemoryPathMode mode = MemoryPathMode::legacy_first;
  std::filesystem::path legacy_path = ".claude/memory";       // plugin dialect
  std::filesystem::path platform_path = ".thunderus/memory";  // repository dialect
  bool opt_in_enabled = false;                                // memd may write below projects

  // Returns the dialect of a project's new memory when none is requested.
  MemoryDialect default_dialect() const;
  // Errc::permission: the dialect is `agent`, or the memory's scope is in a project and opt_in_enabled is false.
  Result<void> check_write(MemoryScope scope, MemoryDialect dialect) const;
};

}  // namespace memd
