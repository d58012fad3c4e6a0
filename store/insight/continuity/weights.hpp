#pragma once

#include <array>
#include <cmath>
#include <cstddef>

// Weights that predict whether something is used again after a compaction. docs/decisions/0003-continuity-weights.md
// describes how the numbers were chosen.
namespace memd::continuity {

// Shares of a pack's tokens. Tokens that a part does not need go to further commands and to extracted sentences.
struct Shares {
  double told;  // goal, constraints, decisions, problem, next steps
  double files;
  double commands;
  double names;  // with their files
};

// Weights of names: terms of the log-odds that a name is used again. A logistic regression fitted them on half of the
// sessions (docs/decisions/0003-continuity-weights.md).
struct NameWeights {
  // Per log1p of the number of texts that contain the name: of users, agents, commands, edits, other calls and results.
  // Most results are skipped.
  std::array<double, 6> times{1.9, 0.65, 0.4, 0.7, 0.35, -0.25};
  // Subtracted per log1p of the age of the last occurrence, with (`seen`) and without (`used`) results.
  double seen = 0.3;
  double used = 0.27;
  double dotted = 0.5;  // subtracted: "store.Reader" is often implied by "Reader"
  // A pack of least_likely_tokens takes no name below this likelihood. Twice the tokens lower it to an eighth.
  double least_likely = 0.09;
  double least_likely_tokens = 1000;
};

// Half-lives are in messages and calls: after that many, a use counts half.
struct Weights {
  NameWeights names;
  double file_half_life = 50;
  double command_half_life = 100;

  // Weight of a file by its use; a file that was only read counts 1.
  double file_modified = 3.0;
  double file_in_command = 0.7;

  double command_failed = 0.7;
  double command_is_test = 1.5;

  // A larger share for sentences, because the reader has no other source for them.
  Shares whole{0.29, 0.12, 0.14, 0.40};
  Shares complement{0.14, 0.11, 0.20, 0.40};  // beside the platform's summary
};

inline constexpr Weights kWeights;

// Half-life of sentences in messages and calls, longer than that of files and commands. Affects only the order of
// sentences.
inline constexpr double kToldHalfLife = 150;

inline double decay(std::size_t age, double half_life) { return std::exp2(-static_cast<double>(age) / half_life); }

}  // namespace memd::continuity
