#pragma once

#include <cmath>
#include <cstddef>

// What predicts that something is used again after a compaction. docs/benchmarks.md says how the numbers were chosen.
namespace memd::continuity {

// Of the pack. What a part does not need goes to the names, then to further commands.
struct Shares {
  double told;  // goal, constraints, decisions, problem, next steps
  double files;
  double commands;
};

// Half-lives are counted in messages and calls: after so many a use counts half.
struct Weights {
  double name_half_life = 40;
  double file_half_life = 50;
  double command_half_life = 100;

  // A name by where it stands; in a text of people or agents it counts 1.
  double name_in_command = 1.3;
  double name_in_edit = 0.2;  // an edit holds many, of which few are what it is about
  double name_in_call = 1.0;
  double name_in_result = 0.05;  // what was read, of which most is passed over

  double name_without_place = 0.3;  // no file is known that holds it

  // A file by what was done with it; one that was read counts 1.
  double file_modified = 3.0;
  double file_in_command = 0.7;

  double command_failed = 0.7;
  double command_is_test = 1.5;
  double command_shows = 0.4;  // only shows something, and ran once

  // Much of it is told: the reader has no other way to know that.
  Shares whole{0.42, 0.15, 0.14};
  Shares complement{0.14, 0.11, 0.20};  // the platform's summary tells the story
};

inline constexpr Weights kWeights;

// What people and agents say holds longer than what they touch. Only the order of what is told hangs on it.
inline constexpr double kToldHalfLife = 150;

inline double decay(std::size_t age, double half_life) { return std::exp2(-static_cast<double>(age) / half_life); }

}  // namespace memd::continuity
