#pragma once

#include "schemas/platform.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memd {

// What happened to a source. The names (to_string) are stored and shown: never rename.
enum class IngestionStep : std::uint8_t {
  found,        // seen for the first time
  read,         // read to its end for the first time
  appended,     // took in more; at most one entry a minute and source
  restarted,    // truncated or replaced: read anew
  gone,         // deleted; what it gave stays
  unreachable,  // its place cannot be looked at
  back,         // there again
  quarantined,  // fails again and again: looked at more and more seldom
  released,     // can be read again
  unsupported,  // the platform's adapter speaks another contract: not read
  drift,        // the platform writes more records of unknown shape than it used to
};
std::string_view to_string(IngestionStep step);

inline constexpr TimeMs kIngestionLogRetention = 90 * kMsPerDay;

struct IngestionLogEntry {
  TimeMs time = 0;
  Platform platform{};
  std::string path;  // of the source; empty: the platform as a whole
  std::string what;
  std::string detail;  // in plain words; never contents
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
};

}  // namespace memd
