#pragma once

#include <array>
#include <cmath>
#include <cstddef>

// What predicts that something is used again after a compaction. docs/decisions/0003-continuity-weights.md says
// how the numbers were chosen.
namespace memd::continuity {

// Of the pack. What a part does not need goes to further commands and to what was told.
struct Shares {
  double told;  // goal, constraints, decisions, problem, next steps
  double files;
  double commands;
  double names;  // with the files they live in, and flags with their programs
  double bare;   // of them those of which no place is known
  double programs;
  std::size_t least_for_programs;  // tokens; smaller packs name no programs and flags: readers found none of use
};

// Of names. A logistic regression found these on half of the sessions (docs/decisions/0003-continuity-weights.md): what
// adds to the logarithm of the odds that a name is used again.
struct NameWeights {
  // For each doubling or so (log1p) of the texts that hold it: of persons, agents, commands, edits, other calls, and
  // results, of which most is passed over.
  std::array<double, 6> times{1.9, 0.65, 0.4, 0.7, 0.35, -0.25};
  // Taken off for the age of what held it last (log1p), results included and not.
  double seen = 0.3;
  double used = 0.27;
  double flag = 0.9;
  double dotted = 0.5;  // taken off: "store.Reader" is often told by "Reader"
  // A pack of so many tokens takes no name that is less likely; one of twice as many, a quarter as likely ones.
  double least_likely = 0.09;
  double least_likely_tokens = 1000;
  double without_place = 0.3;  // a factor: no file or command is known that it belongs to
};

// Half-lives are counted in messages and calls: after so many a use counts half.
struct Weights {
  NameWeights names;
  double file_half_life = 50;
  double command_half_life = 100;

  // A file by what was done with it; one that was read counts 1.
  double file_modified = 3.0;
  double file_in_command = 0.7;

  double command_failed = 0.7;
  double command_is_test = 1.5;

  // Much of it is told: the reader has no other way to know that.
  Shares whole{0.29, 0.12, 0.14, 0.40, 0.00, 0.03, 1500};
  Shares complement{0.14, 0.11, 0.20, 0.40, 0.02, 0.05, 0};  // the platform's summary tells the story
};

inline constexpr Weights kWeights;

// What people and agents say holds longer than what they touch. Only the order of what is told hangs on it.
inline constexpr double kToldHalfLife = 150;

inline double decay(std::size_t age, double half_life) { return std::exp2(-static_cast<double>(age) / half_life); }

}  // namespace memd::continuity
