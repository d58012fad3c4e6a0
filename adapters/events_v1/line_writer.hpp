#pragma once

#include "schemas/event.hpp"
#include "schemas/session.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::events_v1 {

// Export data of an event beyond the event itself.
struct LineDetail {
  std::optional<std::string_view> full_text;  // set when longer than Event::text: whole inputs and results
  std::uint64_t derived_from = 0;  // id of the event from which the assembler made this one; an import makes it anew
  bool partial = false;            // its record is gone: only stored data is exported
};

// Returns one line of an events.v1 file, without its newline. This folder's decoder reads back the same event.
std::string event_line(const Event& event, const LineDetail& detail);

// Returns whether memd wrote this line about an event. Other tools do not write body.event_id.
bool is_event_line(std::string_view line);

// Returns the facts about a session, and its record if it has one, as a note. `time` orders the line; a session has one
// such line, before its events.
std::string session_line(const SessionUpdate& session, TimeMs time);

}  // namespace memd::events_v1
