#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"
#include "schemas/session_head.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memd {

struct DaySlice : SessionHead {
  std::int64_t exchange_count = 0;
  TimeRange range;
  ExchangeId first_exchange = 0;
  ExchangeId last_exchange = 0;
  bool is_evicted = false;  // only first lines are left
  // Beginnings, at most kSliceTextBytes each: the requests of the first and the last exchange, and the final answer of
  // the last.
  std::string first_request;
  std::string last_request;
  std::string last_answer;
};
inline constexpr std::size_t kSliceTextBytes = 3000;

// Activity between two times: one entry per local day and session, in order of time.
struct Timeline {
  std::vector<std::pair<std::string, DaySlice>> slices;  // "2026-02-09" -> slice
  std::int64_t total_exchanges = 0;
  std::int64_t total_sessions = 0;
  std::vector<std::pair<Platform, std::int64_t>> platform_breakdown;  // exchanges
  bool more = false;
};

}  // namespace memd
