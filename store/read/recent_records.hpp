#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace memd {

// Counts unknown-shape records among about the last 1,000 records of a platform, for one adapter version. Stored in
// `meta` under recent_records_key(), so it survives a restart. A value; no thread rule.
struct RecentRecords {
  struct Stretch {
    std::uint64_t records = 0;
    std::uint64_t unknown = 0;
  };
  std::string adapter_version;
  TimeMs reported_at = 0;  // time of the last schema_drift diagnostic
  std::deque<Stretch> stretches;

  void add(std::uint64_t records, std::uint64_t unknown);
  Stretch total() const;
  std::string encode() const;
  static RecentRecords decode(std::string_view text);  // empty if `text` is not a valid encoding
};
std::string recent_records_key(Platform platform);

}  // namespace memd
