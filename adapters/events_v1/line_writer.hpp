#pragma once

#include "schemas/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::events_v1 {

// What an export knows of an event beside the event itself.
struct LineDetail {
  std::optional<std::string_view> full_text;  // when it is more than Event::text: whole inputs and results
  std::uint64_t derived_from = 0;             // made by the assembler from this event; an import makes it anew
  bool partial = false;                       // its record is gone: only what the store kept
};

// One line of an events.v1 file, without its newline. The decoder of this folder reads back the same event.
std::string event_line(const Event& event, const LineDetail& detail);

// Whether memd wrote this line about an event. Others write no body.event_id.
bool is_event_line(std::string_view line);

// The facts about a session and its record, if it has one, as a note. `time` orders it; a session has one such line,
// before its events.
std::string session_line(const SessionUpdate& session, TimeMs time);

}  // namespace memd::events_v1
