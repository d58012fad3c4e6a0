#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// Which of two places curated memories of a project are read from and written to.
enum class MemoryPathMode : std::uint8_t { legacy_first, platform_opt_in };
std::string_view to_string(MemoryPathMode m);
std::optional<MemoryPathMode> parse_memory_path_mode(std::string_view text);

struct MemoryPathPolicy {
  MemoryPathMode mode = MemoryPathMode::legacy_first;
  std::string legacy_path;                   // the project's existing memory path
  std::optional<std::string> platform_path;  // used only when opt_in_enabled
  bool opt_in_enabled = false;

  // The platform's path only when it is opted into and given; the legacy path otherwise.
  const std::string& write_path() const;
};

}  // namespace memd
