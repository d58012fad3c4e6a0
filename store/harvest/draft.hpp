#pragma once

#include "schemas/memory.hpp"
#include "store/harvest/material.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd::harvest {

struct DraftOptions {
  MemoryDialect dialect = MemoryDialect::plugin;
  std::optional<MemoryType> type;  // of the dialect; nullopt: derived from the material
  std::string title;               // empty: derived from the material
  std::filesystem::path project{};
};

// Returns session, exchange, commits, changed files, and event ids as `memd export` names them: the event that began
// the exchange, and the events of `told` (an observation) and of its fix or problem. Edits are patches.
MemoryProvenance provenance_of(const Material& material, std::optional<std::size_t> told,
                               const std::filesystem::path& project);

// Builds a memory from a decision, finding or fix: its statement, reason, rejected option, request, files, commits and
// provenance. Short, in the original words. Without slug and times. Pure.
Memory draft_of(const Material& material, const DraftOptions& options);

}  // namespace memd::harvest
