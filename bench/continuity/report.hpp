#pragma once

#include "bench/continuity/score.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace memd::bench {

// The tables: all compactions, those to fit on, those held out.
std::string tables(const std::vector<Scored>& scored);

// The same figures. Throws std::runtime_error, as does the next.
void write_figures(const std::vector<Scored>& scored, const std::filesystem::path& file);

// A line for each compaction, method and item: found or not. JSON lines.
void write_items(const std::vector<Scored>& scored, const std::filesystem::path& file);

}  // namespace memd::bench
