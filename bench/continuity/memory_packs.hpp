#pragma once

#include "bench/continuity/transcript.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::bench {

// What a tool of memd told of a session at a compaction.
struct Pack {
  std::string method;
  std::size_t budget = 0;
  bool beside_summary = false;  // made to stand beside the platform's summary
  std::string text;             // `content`
};

// Serves a home that holds nothing but what came before the compaction and asks for packs of each size; then lets the
// transcript grow by the boundary and the platform's summary and asks for the complement of `complement_tokens`.
// resume_context is left out where this memd has none. Throws std::runtime_error.
std::vector<Pack> memory_packs(const std::filesystem::path& memd, const Transcript& transcript,
                               const Compaction& compaction, const std::vector<std::size_t>& budgets,
                               const std::vector<std::size_t>& complement_tokens);

}  // namespace memd::bench
