#pragma once

#include "bench/continuity/name_weights.hpp"
#include "bench/continuity/used_again.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// A piece of a pack that stands or falls as a whole: an entry of a list (a file, a name), a line, or a sentence.
struct PackUnit {
  std::string_view text;   // inside the pack
  std::string context;     // what a list's line says of all its entries: "store/"; empty: none
  bool is_entry = false;   // of a list
  bool has_place = false;  // of a name: the file it lives in stands beside it
};

// Cuts a text into units; blanks and marks between them belong to the one before. All methods are cut alike.
std::vector<PackUnit> pack_units(std::string_view pack);

// What of a pack was worth its place. Tokens.
struct Worth {
  double all = 0;
  double used = 0;      // of units that name something used again, or that were said again
  double weighted = 0;  // the same, each counted by how much what it names tells
  double names = 0;     // of entries that are a name and nothing more, with its place or without
  double bare = 0;      // of those without a place

  double precision() const { return all == 0 ? 0 : used / all; }
  double weighted_precision() const { return all == 0 ? 0 : weighted / all; }
  double names_share() const { return all == 0 ? 0 : names / all; }
  double bare_share() const { return all == 0 ? 0 : bare / all; }
};

// A unit as it was judged.
struct JudgedUnit {
  PackUnit unit;
  double tokens = 0;
  double weight = 0;  // of what it names that was used again; negative: nothing was
};

// A unit is used again when it names a file or an identifier that was, holds a command line that was, is a list's entry
// or a line of few words with the head of one, or when a sentence that came later has most of its words.
// `judged`, if given, gets all units.
Worth worth_of(std::string_view pack, const Items& items, const Known& known, const NameWeights& weights,
               const std::vector<std::set<std::string>>& said_after, std::vector<JudgedUnit>* judged = nullptr);

}  // namespace memd::bench
