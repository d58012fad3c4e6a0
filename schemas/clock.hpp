#pragma once

#include "schemas/time.hpp"

namespace memd {

// Where "now" comes from. Thread-safe. Tests use test/support/fake_clock.hpp.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now() const = 0;
};

const Clock& system_clock();

}  // namespace memd
