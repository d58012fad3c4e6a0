#pragma once

#include "bench/coordinate_search.hpp"
#include "store/insight/continuity/weights.hpp"

#include <span>

// What of the pack's weights is searched for.
namespace memd::bench {

using Coordinate = CoordinateOf<continuity::Weights>;
using FoundWeights = FoundOf<continuity::Weights>;

// Nothing known: uses of all kinds and ages alike, parts of the same size but for what is told.
continuity::Weights neutral_weights();
// Those that are fitted. The shares of what is told are not.
std::span<const Coordinate> coordinates();

}  // namespace memd::bench
