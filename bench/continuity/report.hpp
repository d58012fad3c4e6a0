#pragma once

#include "bench/continuity/pack_units.hpp"
#include "bench/continuity/used_again.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// The items that a pack's text names: [kind][item].
using Found = std::array<std::vector<bool>, kItemKindCount>;
Found find_items(std::string_view pack, const Items& items, const Known& known);

// A section's share of a pack and of its reused part, in tokens.
struct SectionWorth {
  std::string title;  // empty: before the first title
  double all = 0;
  double used = 0;
};
std::vector<SectionWorth> sections_of(const std::vector<JudgedUnit>& units);

struct Score {
  std::string method;
  std::size_t budget = 0;  // requested tokens; 0: none
  std::size_t tokens = 0;  // estimated size of the pack
  Found found;
  Worth worth;
  std::size_t leaks = 0;  // names that occur only after the compaction
  std::vector<SectionWorth> sections;
};

// One compaction, scored for all methods.
struct Scored {
  std::string session;     // native id
  std::size_t number = 0;  // number of the compaction in its session, from 1
  bool held_out = false;
  Items items;
  std::array<std::vector<double>, kItemKindCount> weights;  // weights of the items
  std::vector<Score> scores;
};

// Whether the session is in the held-out half. All compactions of a session are in the same half.
bool is_held_out(std::string_view session);

// Returns the weights of items: for identifiers those of NameWeights, for all others 1.
std::array<std::vector<double>, kItemKindCount> weights_of(const Items& items, const NameWeights& weights);

// Renders the tables: all compactions, those to fit on, those held out.
std::string tables(const std::vector<Scored>& scored);

// Writes the same figures as JSON. Throws std::runtime_error, as does write_items().
void write_figures(const std::vector<Scored>& scored, const std::filesystem::path& file);

// Writes a line for each compaction, method and item: found or not. JSON lines.
void write_items(const std::vector<Scored>& scored, const std::filesystem::path& file);

enum class Order { recent, frequent, random };

// Makes a pack of the files, commands and identifiers that the agent had used, one a line, in this order, as many as
// fit.
std::string item_pack(const Known& known, Order order, std::size_t tokens);

// Makes a pack of the end of the session (texts, commands, files), as much as fits.
std::string tail_pack(const Transcript& transcript, std::size_t before, std::size_t tokens);

// Makes a pack of the items themselves, the shortest first, as many as fit: the upper bound for a pack of this size.
std::string oracle_pack(const Items& items, const Known& known, std::size_t tokens);

}  // namespace memd::bench
