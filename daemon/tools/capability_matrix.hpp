#pragma once

#include "schemas/platform.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memd::tools {

// Tables of what the adapters declare. Platforms without an adapter are listed, too. Pure functions; each may be called
// on any thread.

// Returns what one adapter can do, for the log.
std::string capability_line(const AdapterDescription& adapter);

// Returns a table for a terminal: platform × capability, then each platform's storage locations on this system, its
// limitations, and which version of the agent was watched at work.
std::string matrix_table(std::span<const AdapterDescription> adapters);

// What memd does with the program of an agent, beside reading its files.
struct AgentWays {
  Platform platform{};
  std::string_view client;  // as typed after `memd setup`
  bool has_hook = false;    // registering installs one
  bool is_started = false;  // `memd handoff` starts it with a prompt
};

// Returns adapters/facts.tsv as it is in the program: what the golden cases of each agent hold.
std::string_view known_facts();

// Returns the contents of docs/capabilities.md. `facts`: adapters/facts.tsv.
std::string matrix_markdown(std::span<const AdapterDescription> adapters, std::span<const AgentWays> ways = {},
                            std::string_view facts = known_facts());

enum class OperatingSystem : std::uint8_t { linux_system, macos, windows };

// Returns the storage locations that apply to a system, judged by their prefix: "~/Library/…" is macOS, "%APPDATA%\…"
// is Windows, and "~/.config/…" is Linux if the adapter also names one of those. All others apply everywhere.
std::vector<std::string> storage_on(const AdapterDescription& adapter, OperatingSystem system);

}  // namespace memd::tools
