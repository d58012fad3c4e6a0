#include "bench/continuity/weight_search.hpp"

#include <array>

namespace memd::bench {

using continuity::Weights;

namespace {

constexpr std::array<double, 5> kHalfLives{0.25, 0.5, 1, 2, 4};
constexpr std::array<double, 6> kKinds{0.0625, 0.25, 0.5, 1, 2, 4};
constexpr std::array<double, 4> kParts{0.5, 0.75, 1, 1.5};

constexpr double kToldOfWhole = 1.0 / 3;
constexpr double kToldOfComplement = 1.0 / 6;

constexpr std::array<Coordinate, 15> kCoordinates{{
    {"name half-life", [](Weights& w) -> double& { return w.name_half_life; }, kHalfLives},
    {"file half-life", [](Weights& w) -> double& { return w.file_half_life; }, kHalfLives},
    {"command half-life", [](Weights& w) -> double& { return w.command_half_life; }, kHalfLives},
    {"name in command", [](Weights& w) -> double& { return w.name_in_command; }, kKinds},
    {"name in edit", [](Weights& w) -> double& { return w.name_in_edit; }, kKinds},
    {"name in call", [](Weights& w) -> double& { return w.name_in_call; }, kKinds},
    {"name in result", [](Weights& w) -> double& { return w.name_in_result; }, kKinds},
    {"file modified", [](Weights& w) -> double& { return w.file_modified; }, kKinds},
    {"file in command", [](Weights& w) -> double& { return w.file_in_command; }, kKinds},
    {"command failed", [](Weights& w) -> double& { return w.command_failed; }, kKinds},
    {"command is test", [](Weights& w) -> double& { return w.command_is_test; }, kKinds},
    {"whole: files", [](Weights& w) -> double& { return w.whole.files; }, kParts},
    {"whole: commands", [](Weights& w) -> double& { return w.whole.commands; }, kParts},
    {"complement: files", [](Weights& w) -> double& { return w.complement.files; }, kParts},
    {"complement: commands", [](Weights& w) -> double& { return w.complement.commands; }, kParts},
}};

continuity::Shares even_shares(double told) { return {told, (1 - told) / 3, (1 - told) / 3}; }

}  // namespace

Weights neutral_weights() {
  Weights w;
  w.name_half_life = w.file_half_life = w.command_half_life = 100;
  w.name_in_command = w.name_in_edit = w.name_in_call = w.name_in_result = 1;
  w.file_modified = w.file_in_command = 1;
  w.command_failed = w.command_is_test = 1;
  w.whole = even_shares(kToldOfWhole);
  w.complement = even_shares(kToldOfComplement);
  return w;
}

std::span<const Coordinate> coordinates() { return kCoordinates; }

}  // namespace memd::bench
