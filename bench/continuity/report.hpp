#pragma once

#include "bench/continuity/score.hpp"
#include "bench/continuity/used_again.hpp"

#include <cstddef>
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

enum class Order { recent, frequent, random };

// Files, commands and identifiers that the agent had used, one a line, in this order, as many as fit.
std::string item_pack(const Known& known, Order order, std::size_t tokens);

// The end of what was said and done (texts, commands, files), as much as fits.
std::string tail_pack(const Transcript& transcript, std::size_t before, std::size_t tokens);

// The items themselves, the shortest first, as many as fit: what a pack of this size could reach at best.
std::string oracle_pack(const Items& items, const Known& known, std::size_t tokens);

}  // namespace memd::bench
