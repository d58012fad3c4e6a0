#pragma once

#include "schemas/time.hpp"

#include <string>

namespace memd::test {

// The process's time zone for as long as this lives; UTC again behind it. `known()` is false where the system does not
// have the zone.
class ScopedTimeZone {
 public:
  explicit ScopedTimeZone(const std::string& name) : known_(is_time_zone(name)) { use_time_zone(name); }
  ~ScopedTimeZone() { use_time_zone("UTC"); }
  ScopedTimeZone(const ScopedTimeZone&) = delete;
  ScopedTimeZone& operator=(const ScopedTimeZone&) = delete;

  bool known() const { return known_; }

 private:
  bool known_;
};

}  // namespace memd::test
