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

// Which of the items a pack's text names: [kind][item].
using Found = std::array<std::vector<bool>, kItemKindCount>;
Found find_items(std::string_view pack, const Items& items, const Known& known);

// What of a pack a section was, and what of it was used again. Tokens.
struct SectionWorth {
  std::string title;  // empty: in front of the first
  double all = 0;
  double used = 0;
};
std::vector<SectionWorth> sections_of(const std::vector<JudgedUnit>& units);

struct Score {
  std::string method;
  std::size_t budget = 0;  // tokens asked for; 0: none
  std::size_t tokens = 0;  // of the pack, estimated
  Found found;
  Worth worth;
  std::size_t leaks = 0;  // names of the future
  std::vector<SectionWorth> sections;
};

// One compaction, by all methods.
struct Scored {
  std::string session;     // native id
  std::size_t number = 0;  // of the compaction in its session, from 1
  bool held_out = false;
  Items items;
  std::array<std::vector<double>, kItemKindCount> weights;  // of the items: how much they tell
  std::vector<Score> scores;
};

// Sessions are on one side with all their compactions.
bool is_held_out(std::string_view session);

// The weights of items: of identifiers how much they tell, of all others 1.
std::array<std::vector<double>, kItemKindCount> weights_of(const Items& items, const NameWeights& weights);

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
