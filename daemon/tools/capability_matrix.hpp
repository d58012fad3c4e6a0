#pragma once

#include "schemas/platform.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memd::tools {

// Tables of what the adapters declare. Platforms without an adapter are listed, too. Pure functions; each may be called
// on any thread.

// For the log: what one adapter can do.
std::string capability_line(const AdapterDescription& adapter);

// For a terminal: platform × capability, then what holds each platform back and where its history is on this system.
std::string matrix_table(std::span<const AdapterDescription> adapters);

// docs/capabilities.md.
std::string matrix_markdown(std::span<const AdapterDescription> adapters);

enum class OperatingSystem : std::uint8_t { linux_system, macos, windows };

// The storage locations that apply to a system. Their first words tell: "~/Library/…" is macOS, "%APPDATA%\…" is
// Windows, and "~/.config/…" is Linux if the adapter also names one of those. All other locations apply everywhere.
std::vector<std::string> storage_on(const AdapterDescription& adapter, OperatingSystem system);

}  // namespace memd::tools
