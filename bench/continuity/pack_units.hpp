#pragma once

#include "bench/continuity/name_weights.hpp"
#include "bench/continuity/used_again.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// The unit of scoring in a pack: an entry of a list (a file, a name), a line, or a sentence.
struct PackUnit {
  std::string_view text;   // inside the pack
  std::string context;     // prefix that a list's line has for all its entries: "store/"; empty: none
  bool is_entry = false;   // entry of a list
  bool has_place = false;  // for a name: its file is named beside it
};

// Cuts a text into units; blanks and marks between units belong to the preceding one. The same for the packs of all
// methods.
std::vector<PackUnit> pack_units(std::string_view pack);

// The useful part of a pack, in tokens.
struct Worth {
  double all = 0;
  double used = 0;      // in units that name reused items or were repeated
  double weighted = 0;  // as `used`, weighted by the reused names
  double names = 0;     // in entries that are only a name, with or without its place
  double bare = 0;      // in those without a place

  double precision() const { return all == 0 ? 0 : used / all; }
  double weighted_precision() const { return all == 0 ? 0 : weighted / all; }
  double names_share() const { return all == 0 ? 0 : names / all; }
  double bare_share() const { return all == 0 ? 0 : bare / all; }
};

// A unit with its score.
struct JudgedUnit {
  PackUnit unit;
  double tokens = 0;
  double weight = 0;  // weight of its reused names; negative: none was used again
};

// Scores a pack. A unit counts as used again when it names a reused file or identifier, contains a reused command line,
// is a list's entry or a short line with the head of one, or when a later sentence has most of its words.
// `judged`, if given, receives all units.
Worth worth_of(std::string_view pack, const Items& items, const Known& known, const NameWeights& weights,
               const std::vector<std::set<std::string>>& said_after, std::vector<JudgedUnit>* judged = nullptr);

}  // namespace memd::bench
