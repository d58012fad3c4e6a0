#pragma once

#include <cmath>
#include <cstddef>

// What predicts that something is used again after a compaction. Chosen by trying, with bench/continuity; how, and what
// that is worth, is in docs/benchmarks.md. Everything else of the pack is counting.
namespace memd::continuity::weights {

// Messages and calls after which a use counts half.
inline constexpr double kNameHalfLife = 60;
inline constexpr double kFileHalfLife = 80;
inline constexpr double kCommandHalfLife = 100;
inline constexpr double kToldHalfLife = 150;  // what people and agents say holds longer than what they touch

inline double decay(std::size_t age, double half_life) { return std::exp2(-static_cast<double>(age) / half_life); }

// A name by where it stands.
inline constexpr double kNameInText = 1.0;
inline constexpr double kNameInCommand = 1.3;
inline constexpr double kNameInEdit = 0.5;  // an edit holds many, of which few are what it is about
inline constexpr double kNameInCall = 1.0;
inline constexpr double kNameInResult = 0.05;  // what was read, of which most is passed over

// A file by what was done with it.
inline constexpr double kFileModified = 3.0;
inline constexpr double kFileRead = 1.0;
inline constexpr double kFileInCommand = 0.7;

inline constexpr double kCommandFailed = 0.7;
inline constexpr double kCommandIsTest = 1.5;

// Shares of the pack. What a part does not need goes to the names, then to further commands.
struct Shares {
  double told;  // goal, constraints, decisions, problem, next steps
  double files;
  double commands;
};
inline constexpr Shares kWhole{0.34, 0.17, 0.17};
inline constexpr Shares kComplement{0.14, 0.11, 0.20};  // the platform's summary tells the story

}  // namespace memd::continuity::weights
