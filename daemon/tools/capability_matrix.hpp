#pragma once

#include "schemas/platform.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memd::tools {

// What the adapters declare, as tables: generated, so that they say what the program does. Platforms that have no
// adapter are listed too.

// For a terminal: platform × capability, then what holds each platform back and where its history is on this system.
std::string matrix_table(std::span<const AdapterDescription> adapters);

// docs/capabilities.md.
std::string matrix_markdown(std::span<const AdapterDescription> adapters);

enum class OperatingSystem : std::uint8_t { linux_system, macos, windows };

// The storage locations that are meant for a system. Adapters write them as its users do: "~/Library/…" is of macOS,
// "%APPDATA%\…" of Windows, "~/.config/…" of Linux where one of those stands beside it; all else is the same
// everywhere.
std::vector<std::string> storage_on(const AdapterDescription& adapter, OperatingSystem system);

}  // namespace memd::tools
