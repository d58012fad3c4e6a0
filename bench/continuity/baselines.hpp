#pragma once

#include "bench/continuity/used_again.hpp"

#include <cstddef>
#include <string>

namespace memd::bench {

enum class Order { recent, frequent, random };

// Files, commands and identifiers that the agent had used, one a line, in this order, as many as fit.
std::string item_pack(const Known& known, Order order, std::size_t tokens);

// The end of what was said and done (texts, commands, files), as much as fits.
std::string tail_pack(const Transcript& transcript, std::size_t before, std::size_t tokens);

// The items themselves, the shortest first, as many as fit: what a pack of this size could reach at best.
std::string oracle_pack(const Items& items, const Known& known, std::size_t tokens);

}  // namespace memd::bench
