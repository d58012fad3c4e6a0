#pragma once

#include "schemas/base/time.hpp"

#include <string>

namespace memd::test {

// Sets the time zone of the process; the destructor sets it to UTC. known() is false if the system does not have the
// zone.
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
