#pragma once

#include "schemas/platform.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace memd {

// The records of a platform taken in lately by one version of its adapter, in the order they came: about the last
// 1,000. Kept in `meta` under recent_records_key(), so that it outlives a restart.
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
  static RecentRecords decode(std::string_view text);  // of what is no encoding: an empty one
};
std::string recent_records_key(Platform platform);

}  // namespace memd
