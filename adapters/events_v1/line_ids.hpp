#pragma once

#include "schemas/platform.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memd::events_v1 {

// Returns whether the sources of a platform are files of events.v1.
constexpr bool is_of_events_v1(Platform platform) {
  return platform == Platform::imported || platform == Platform::thunderus;
}

// What the id of an event begins with in the lines that memd writes; its key follows (format_key()).
inline constexpr std::string_view kEventIdPrefix = "evt_";

// The ids that a line gives its event.
struct LineIds {
  std::string event;
  std::string patch;  // empty: the line is of no patch, or names none
};

// Reads the ids of one line of an events.v1 file. `line` has kRecordPadding readable bytes behind it. nullopt: it is no
// such line. Thread-safe.
std::optional<LineIds> line_ids(std::string_view line);

}  // namespace memd::events_v1
