#pragma once

#include "schemas/time.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace memd::cursor {

// What a bubble says about its time. "createdAt" exists since about autumn 2025; before that the first answer of a
// turn has the time the request was sent and the time the turn ended (its "clientStartTime" counts from the start of
// the window and is of no use).
struct OwnTime {
  TimeMs created = 0;
  TimeMs turn_started = 0;
  TimeMs turn_ended = 0;
};
OwnTime read_own_time(std::string_view bubble);

struct TimedBubble {
  bool user = false;
  OwnTime own;
};

struct BubbleTime {
  TimeMs time = 0;
  bool estimated = false;
};

// A time for each bubble of a conversation, in order. Where a bubble has none, it lies between its neighbours', evenly;
// the conversation's own times bound both ends.
std::vector<BubbleTime> bubble_times(std::span<const TimedBubble> bubbles, TimeMs created, TimeMs updated);

}  // namespace memd::cursor
