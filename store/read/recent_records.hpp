#pragma once

#include "schemas/platform.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace memd {

// How many of a platform's last 1,000 records or so were of unknown shape to one version of its adapter. Kept in `meta`
// under recent_records_key(), so that it outlives a restart. A value; no thread rule.
struct RecentRecords {
  struct Stretch {
    std::uint64_t records = 0;
    std::uint64_t unknown = 0;
  };
  std::string adapter_version;
  TimeMs reported_at = 0;  // last schema_drift diagnostic
  std::deque<Stretch> stretches;

  void add(std::uint64_t records, std::uint64_t unknown);
  Stretch total() const;
  std::string encode() const;
  static RecentRecords decode(std::string_view text);  // an empty one if `text` is no encoding
};
std::string recent_records_key(Platform platform);

}  // namespace memd
