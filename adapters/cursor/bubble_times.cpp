#include "adapters/cursor/bubble_times.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

#include <algorithm>
#include <string>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

constexpr TimeMs kEarliest = 1'500'000'000'000;  // smaller numbers are no times since 1970

TimeMs time_of(std::string_view token) {
  if (!is_string(token)) return std::max<TimeMs>(integer(token), 0);
  std::string text;
  append_unescaped(string_body(token), text);
  return parse_rfc3339(text).value_or(0);
}

TimeMs epoch(std::string_view token) {
  const TimeMs time = time_of(token);
  return time < kEarliest ? 0 : time;
}

}  // namespace

OwnTime read_own_time(std::string_view bubble) {
  OwnTime own;
  std::string padded(bubble);
  padded.resize(bubble.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::object root;
  if (parser.iterate(padded.data(), bubble.size(), padded.size()).get(document) || document.get_object().get(root))
    return own;
  for_each_field(root, [&](std::string_view key, od::value& value) {
    const auto token = token_of(value);
    if (key == "createdAt") own.created = epoch(token);
    if (key == "timingInfo" && token.starts_with('{')) {
      od::object timing;
      if (value.get_object().get(timing)) return false;
      return for_each_field(timing, [&](std::string_view name, od::value& field) {
        if (name == "clientRpcSendTime") own.turn_started = epoch(token_of(field));
        if (name == "clientEndTime" || name == "clientSettleTime")
          own.turn_ended = std::max(own.turn_ended, epoch(token_of(field)));
        return true;
      });
    }
    return true;
  });
  return own;
}

std::vector<BubbleTime> bubble_times(std::span<const TimedBubble> bubbles, TimeMs created, TimeMs updated) {
  const std::size_t n = bubbles.size();
  std::vector<BubbleTime> times(n);
  std::vector<bool> known(n, false);
  const auto set = [&](std::size_t i, TimeMs time, bool estimated) {
    if (known[i] || time == 0) return;
    times[i] = {time, estimated};
    known[i] = true;
  };
  for (std::size_t i = 0; i < n; ++i)
    set(i, bubbles[i].own.created, false);
  for (std::size_t i = 0; i < n; ++i) {
    const OwnTime& own = bubbles[i].own;
    if (own.turn_started == 0) continue;
    set(i, own.turn_started, false);
    if (i > 0 && bubbles[i - 1].user) set(i - 1, own.turn_started, true);
    std::size_t last = i;
    while (last + 1 < n && !bubbles[last + 1].user)
      ++last;
    set(last, std::max(own.turn_ended, own.turn_started), true);
  }

  TimeMs before = created;
  for (std::size_t i = 0; i < n;) {
    if (known[i]) {
      before = std::max(before, times[i].time);
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < n && !known[end])
      ++end;
    TimeMs after = end < n ? times[end].time : updated;
    if (before == 0) before = after;
    after = std::max(after, before);
    // The bounds of the conversation are no bubbles: the first starts at one, the last ends at the other.
    const auto steps = static_cast<TimeMs>(end - i) + (end < n ? (i > 0 ? 1 : 0) : (i > 0 ? 0 : -1));
    for (std::size_t j = i; j < end; ++j) {
      const auto step = static_cast<TimeMs>(j - i) + (i > 0 ? 1 : 0);
      times[j] = {steps > 0 ? before + (after - before) * step / steps : before, true};
    }
    before = after;
    i = end;
  }
  return times;
}

}  // namespace memd::cursor
