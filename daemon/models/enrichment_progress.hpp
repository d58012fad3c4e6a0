#pragma once

#include "schemas/time.hpp"

#include <cstdint>
#include <string>

namespace memd {

// What the worker is doing.
struct EnrichmentProgress {
  bool working = false;
  std::string model;            // whose vectors are made; empty: none now
  std::uint64_t exchanges = 0;  // given vectors by this process; without a model, terms
  std::uint64_t texts = 0;      // embedded by this process
  std::uint64_t refused = 0;    // texts that the model does not take
  double busy_seconds = 0;      // spent on that
  std::string trouble;          // why vectors cannot be made now; empty: nothing
  TimeMs retry_at = 0;          // after trouble
};

}  // namespace memd
