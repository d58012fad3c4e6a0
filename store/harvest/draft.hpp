#pragma once

#include "schemas/memory.hpp"
#include "store/harvest/material.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace memd::harvest {

struct DraftWishes {
  MemoryDialect dialect = MemoryDialect::plugin;
  std::optional<MemoryType> type;  // of the dialect; none: what the material is
  std::string title;               // empty: made from the material
  std::filesystem::path project{};
};

// Session, exchange, commits, changed files, and events as `memd export` names them: that which began the exchange, and
// those in which `told` (an observation) and its fix or problem were said. Edits are patches.
MemoryProvenance provenance_of(const Material& material, std::optional<std::size_t> told,
                               const std::filesystem::path& project);

// A memory made of what was decided, found or fixed: what it says, why, what was turned down, what it was asked for,
// its files, commits and where it comes from. Short, in the words of those who said it. Without slug and times. Pure.
Memory draft_of(const Material& material, const DraftWishes& wishes);

}  // namespace memd::harvest
